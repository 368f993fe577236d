// What a plan says about itself.
#pragma once

#include <string>

#include "transpose/plan/plan_state.hpp"

namespace tenfold::transpose_impl {

std::string explain(const transpose_plan::state &plan);

/// Bytes over bandwidth, for beta = 0. Where the context's rates are only typical, the figure ranks
/// alternatives and promises nothing.
double predict_seconds(const schedule &plan, const context &ctx) noexcept;

} // namespace tenfold::transpose_impl
