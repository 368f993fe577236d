// The reference as a candidate.
#pragma once

#include "contract/choose/candidate.hpp"
#include "einsum/problem/problem.hpp"

namespace tenfold::contract_impl {

/// Always possible. The problem must outlive it.
candidate_ptr make_plain_loops(const einsum_impl::contraction_problem &problem);

} // namespace tenfold::contract_impl
