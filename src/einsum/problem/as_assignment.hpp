// Updates for plans, which take beta when they are executed.
#pragma once

#include <tenfold/einsum.hpp>

namespace tenfold::einsum_impl {

/// The same with "=": what "+=" and "-=" add, the latter by its negated scale; beta = 1 is then the
/// caller's to give. The text stays as it was written.
inline contraction_spec as_assignment(contraction_spec spec) {
    using update = contraction_spec::update;
    if (spec.operation == update::subtract)
        spec.scale = -spec.scale;
    spec.operation = update::assign;
    return spec;
}

} // namespace tenfold::einsum_impl
