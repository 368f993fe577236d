// The permutation that an expression's labels say.
#pragma once

#include <vector>

#include <tenfold/einsum.hpp>
#include <tenfold/tensor_view.hpp>

namespace tenfold::transpose_impl {

/// Returns the permutation: mode k of B is mode permutation[k] of A. `spec` has one input. Throws
/// errc::order_mismatch, errc::repeated_label, errc::unknown_label, errc::invalid_argument (a label
/// that is summed over) and errc::extent_mismatch.
std::vector<int> permutation_of(const contraction_spec &spec, const layout &a, const layout &b);

} // namespace tenfold::transpose_impl
