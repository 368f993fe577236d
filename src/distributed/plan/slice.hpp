// Boxes of positions: their cuts and intersections.
#pragma once

#include <tenfold/dist_plan.hpp>

#include "base/cut.hpp"

namespace tenfold::dist_impl {

using base::cut;

/// The elements that both boxes contain; both have the same order.
slice intersect(const slice &a, const slice &b);
index_t intersection_size(const slice &a, const slice &b) noexcept;

/// Returns "(3, 4)".
std::string list(const extents_t &numbers);

} // namespace tenfold::dist_impl
