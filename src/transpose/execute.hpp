// Runs a schedule on data.
#pragma once

#include "transpose/kernels/registry.hpp"
#include "transpose/plan/schedule.hpp"

namespace tenfold::transpose_impl {

/// Computes B = op(A, B) on the schedule's threads. `a` may be null if the operation does not read
/// x.
void run(const schedule &plan, const kernel_choice &kernels, const operation &op, const char *a,
         char *b) noexcept;

} // namespace tenfold::transpose_impl
