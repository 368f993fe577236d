// The number of elements of a result that --verify can afford to recompute.
#pragma once

#include <span>

#include <tenfold/operand.hpp>

#include "apps/tenfold/contraction_request.hpp"

namespace tenfold::apps_impl {

/// Returns verified_elements for one or two inputs. More inputs are verified by a single loop nest,
/// whose cost per element is the product of all extents that are summed; then it returns as many
/// elements as take about a second, and at least one. Throws usage_error if a single element would
/// take minutes.
index_t elements_to_verify(const contraction_spec &spec, std::span<const input> inputs);
index_t elements_to_verify(const resolved_contraction &resolved);

} // namespace tenfold::apps_impl
