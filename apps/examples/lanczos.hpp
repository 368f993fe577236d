// The lowest eigenvalue of a symmetric operator that is given as a function.
#pragma once

#include <functional>

#include <tenfold/tenfold.hpp>

namespace tenfold::examples {

/// Replaces `state` (dense, not zero) by the lowest eigenvector, of norm 1, in the space of `state`
/// and its first `steps` - 1 images under the operator (Lanczos). Returns the eigenvalue in that
/// space. apply(x, y) writes the operator times x to y.
double lowest_state(tensor<double> &state,
                    const std::function<void(const tensor<double> &, tensor<double> &)> &apply,
                    int steps);

} // namespace tenfold::examples
