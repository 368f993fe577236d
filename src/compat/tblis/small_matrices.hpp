// Products of small matrices, which gemm() multiplies in less time than contract() takes to read
// their labels.
#pragma once

#include "compat/tblis/operands.hpp"

namespace tenfold::tblis_impl {

/// C = alpha_A alpha_B op(A) op(B) + beta_C C, if all three are matrices with 2 to 32 rows and
/// columns and their labels say that they are multiplied as such; C is not conjugated, and their
/// types are equal. False if it did nothing. Throws as gemm(), before C is written.
bool multiply_small_matrices(const tblis::tblis_tensor &A, const tblis::label_type *idx_A,
                             const tblis::tblis_tensor &B, const tblis::label_type *idx_B,
                             const tblis::tblis_tensor &C, const tblis::label_type *idx_C,
                             int threads);

} // namespace tenfold::tblis_impl
