// The lowest eigenvalue of a symmetric operator that is known by what it does.
#pragma once

#include <functional>

#include <tenfold/tenfold.hpp>

namespace tenfold::examples {

/// Replaces `state` (dense, not zero) by the lowest one, of norm 1, among the combinations of it
/// and its first `steps` - 1 images under the operator (Lanczos); returns its eigenvalue there.
/// apply(x, y) writes the operator times x to y.
double lowest_state(tensor<double> &state,
                    const std::function<void(const tensor<double> &, tensor<double> &)> &apply,
                    int steps);

} // namespace tenfold::examples
