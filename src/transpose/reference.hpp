// The transposition by its definition: the oracle of the tests.
#pragma once

#include <span>

#include <tenfold/error.hpp>
#include <tenfold/tensor_view.hpp>

namespace tenfold::transpose_impl {

/// Computes B = alpha op(perm A) + beta B by nested loops over B's modes; the arguments must be
/// valid.
void reference_transpose(std::span<const int> permutation, data_type type_a, const layout &a,
                         data_type type_b, const layout &b, bool conjugate, scalar alpha,
                         const void *data_a, scalar beta, void *data_b);

} // namespace tenfold::transpose_impl
