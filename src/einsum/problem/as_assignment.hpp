// Turns updates into assignments, since plans take beta when they are executed.
#pragma once

#include <tenfold/einsum.hpp>

namespace tenfold::einsum_impl {

/// Returns the same spec with "=". For "-=" the scale is negated; for both updates the caller must
/// pass beta = 1. The text is unchanged.
inline contraction_spec as_assignment(contraction_spec spec) {
    using update = contraction_spec::update;
    if (spec.operation == update::subtract)
        spec.scale = -spec.scale;
    spec.operation = update::assign;
    return spec;
}

} // namespace tenfold::einsum_impl
