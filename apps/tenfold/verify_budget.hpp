// How many elements of a result --verify can afford to recompute.
#pragma once

#include <span>

#include <tenfold/operand.hpp>

#include "apps/tenfold/contraction_request.hpp"

namespace tenfold::apps_impl {

/// verified_elements; more than two inputs are verified by one nest of loops, whose terms multiply:
/// so many of D's elements that this takes a second or so, but one at least. Throws usage_error
/// where that alone would take minutes.
index_t elements_to_verify(const contraction_spec &spec, std::span<const input> inputs);
index_t elements_to_verify(const resolved_contraction &resolved);

} // namespace tenfold::apps_impl
