// The cost of a transposition besides moving elements: making its plan and calling it.
#pragma once

#include <tenfold/context.hpp>

#include "apps/bench/bench_options.hpp"
#include "apps/bench/workload.hpp"

namespace tenfold::apps_impl {

/// Seconds to make the plan again: the median of a few tries. One-off work, for the process's first
/// plan or for the first plan of this problem, is not included.
double seconds_to_plan(const workload &work);

/// Seconds of execute() on an 8 x 8 tensor in the caches: the median of many samples.
double seconds_of_tiny_execute(const bench_options &options, const context &ctx);

} // namespace tenfold::apps_impl
