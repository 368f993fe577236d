// Which processor grid: every useful (pb, pm, pn, pk) is scored on integers.
#pragma once

#include "dist_plan/plan_state.hpp"

namespace tenfold::dist_impl {

/// The cheapest grid's layouts, `plan` having everything but those. Cost in flops: those of the
/// largest block, and a nominal number for each byte received by the busiest rank. Among those
/// whose cost and volume are within a twentieth of the cheapest's, redistribution decides, then
/// size. Where that does not fit memory_per_rank in its usual steps, the cheapest that does in some
/// steps, what is received again counted. Throws errc::workspace_too_small, errc::invalid_argument
/// (a forced grid).
layouts choose_layouts(const plan_state &plan);

} // namespace tenfold::dist_impl
