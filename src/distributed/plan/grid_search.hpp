// Which processor grid: every useful (pb, pm, pn, pk) is scored on integers.
#pragma once

#include "distributed/plan/plan_state.hpp"

namespace tenfold::dist_impl {

/// What a byte received costs, in flops of one rank: 1 Tflop/s against 30 GB/s on a cluster's node,
/// less on small machines. It decides only between near-equal plans and how many ranks a small
/// contraction is worth.
constexpr int flops_per_byte = 32;

/// The cheapest grid's layouts, `plan` having everything but those. Cost in flops: those of the
/// largest block, and a nominal number for each byte received by the busiest rank. Among those
/// whose cost and volume are within a twentieth of the cheapest's, redistribution decides, then
/// size. Where that does not fit memory_per_rank in its usual steps, the cheapest that does in some
/// steps, what is received again counted. Throws errc::workspace_too_small, errc::invalid_argument
/// (a forced grid).
layouts choose_layouts(const plan_state &plan);

} // namespace tenfold::dist_impl
