// Products of TBLIS's tensors whose labels fit letters, without memory from the heap: 8 x 8 x 8
// takes less than a microsecond, of which vectors and the comparison of specs were a third.
#pragma once

#include "tenfold-compat/tblis/tblis.h"

namespace tenfold::tblis_impl {

/// C = alpha_A alpha_B op(A) op(B) + beta_C C. False if it was not computed: the tensors do not
/// fit, or something is wrong with them, which is told where labels keep their names.
bool multiply_quickly(const tblis_comm *comm, const tblis::tblis_tensor &A,
                      const tblis::label_type *idx_A, const tblis::tblis_tensor &B,
                      const tblis::label_type *idx_B, const tblis::tblis_tensor &C,
                      const tblis::label_type *idx_C);

} // namespace tenfold::tblis_impl
