// A short cut for small products of two matrices: no plan, and no search in the plan cache.
#pragma once

#include "contract/front/one_shot.hpp"

namespace tenfold::contract_impl {

/// Multiplies as the call asks if its expression is the product of two matrices ("ab=ac*cb",
/// "ac,cb->ab" or "ab-ac-cb", with any letters), which gemm() multiplies without a plan
/// (gemm/forms/small.hpp), and its options leave the choice to the library. The bits are those of
/// a plan, which chooses the same form. Returns false if it did nothing, which it does with wrong
/// calls. O(1) beside the product, allocates nothing.
bool multiply_if_small_matrices(const one_shot &call, const context &ctx);

} // namespace tenfold::contract_impl
