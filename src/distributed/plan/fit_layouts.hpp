// Among the layouts of one grid with equally small blocks, chooses one that is close to how the
// operands already lie.
#pragma once

#include <array>
#include <vector>

#include "distributed/plan/redistributions.hpp"

namespace tenfold::dist_impl {

/// The inputs of which every rank takes its whole panel from copies, instead of gathering it.
using copied_inputs = std::array<bool, 3>;
/// All choices for a grid, beginning with none: only inputs that exist in copies may be copied.
std::vector<copied_inputs> ways_to_copy(const plan_state &plan, const processor_grid &grid);

/// The layouts with which fit_layouts() begins, in little time.
layouts layouts_before_fitting(const plan_state &plan, const processor_grid &grid,
                               const copied_inputs &copied, split_tables &tables);

/// Chooses which labels of a group are cut if several ways are equally good, how panels are cut
/// into pieces, and how ranks are ordered in the grid. Greedy: makes these choices one after the
/// other and keeps each that lessens redistribution. Volume and work of the contraction depend on
/// the grid only. Deterministic; stops as soon as nothing has to move.
layouts fit_layouts(const plan_state &plan, const processor_grid &grid, const copied_inputs &copied,
                    const redistributions &counted, split_tables &tables);

} // namespace tenfold::dist_impl
