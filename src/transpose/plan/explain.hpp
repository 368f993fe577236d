// The text of a plan, and its predicted time.
#pragma once

#include <string>

#include "transpose/plan/plan_state.hpp"

namespace tenfold::transpose_impl {

std::string explain(const transpose_plan::state &plan);

/// Returns bytes over bandwidth, for beta = 0. If the context's rates are only typical ones, use
/// the figure to rank alternatives, not as a promise.
double predict_seconds(const schedule &plan, const context &ctx) noexcept;

} // namespace tenfold::transpose_impl
