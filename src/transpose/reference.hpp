// The transposition by its definition: the oracle of the tests.
#pragma once

#include "transpose/plan/modes.hpp"

namespace tenfold::transpose_impl {

/// Computes B = alpha op(perm A) + beta B by nested loops over B's modes; the arguments must be
/// valid.
void reference_transpose(const transposed_tensors &what, scalar alpha, const void *data_a,
                         scalar beta, void *data_b);

} // namespace tenfold::transpose_impl
