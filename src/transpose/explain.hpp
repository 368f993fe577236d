// What a plan says about itself.
#pragma once

#include <string>

#include "transpose/plan_state.hpp"

namespace tenfold::transpose_impl {

std::string explain(const transpose_plan::state &plan);

/// Bytes over bandwidth, for beta = 0. The bandwidths are those of a typical core of a server: the
/// figure ranks alternatives, it does not promise.
double predict_seconds(const schedule &plan, const base::machine &machine) noexcept;

} // namespace tenfold::transpose_impl
