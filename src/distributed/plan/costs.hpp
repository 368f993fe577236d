// Seconds that the busiest rank of a distributed contraction takes: multiplying, receiving panels
// and redistributing, one after the other.
#pragma once

#include "distributed/plan/redistributions.hpp"

namespace tenfold::dist_impl {

/// Receiving the plan's words in so many messages; no words take none.
double receiving_seconds(const plan_state &plan, double words, double messages) noexcept;

/// Receiving `words` of panels in as few messages as possible: one from each rank with which a rank
/// shares a panel.
double panel_seconds(const plan_state &plan, const processor_grid &grid, double words) noexcept;
/// The same for the busiest of some ranks. It need not be the last rank of the grid: this has the
/// largest panels, but also the largest pieces of them, of small ones all.
double panel_seconds(const plan_state &plan, const layouts &where);

/// What nodes receive from other nodes goes through the node's own wire besides: as if a rank
/// received its share once more. 0 on one node.
double between_nodes_seconds(const plan_state &plan, const layout_choice &where);

/// Moving operands to the layouts and D back, where the busiest rank receives `words`.
double redistribution_seconds(const plan_state &plan, const redistributions &counted,
                              const layout_choice &where, index_t words);

} // namespace tenfold::dist_impl
