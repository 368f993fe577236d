// Which processor grid: every useful (pb, pm, pn, pk) is scored on integers.
#pragma once

#include "dist_plan/plan_state.hpp"

namespace tenfold::dist_impl {

/// The cheapest grid's layouts, `plan` having everything but those. Cost in flops: those of the
/// largest block, and a nominal number for each byte received by the busiest rank. Among those
/// whose cost and volume are within a twentieth of the cheapest's, redistribution decides, then
/// size. Throws errc::workspace_too_small, errc::invalid_argument (a forced grid).
layouts choose_layouts(const plan_state &plan);

/// Bytes of the busiest rank: its blocks of the tensors, pieces, panels and buffers.
index_t peak_bytes(const plan_state &plan, const layouts &candidate);

} // namespace tenfold::dist_impl
