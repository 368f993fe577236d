// What a transposition costs beside moving the elements: making its plan, and calling it.
#pragma once

#include <tenfold/context.hpp>

#include "apps/bench/bench_options.hpp"
#include "apps/bench/workload.hpp"

namespace tenfold::apps_impl {

/// Seconds to make the plan again: the median of a few tries. What is done once only, at the
/// process's first plan or at this one's first, is not in it.
double seconds_to_plan(const workload &work);

/// Seconds of execute() on a tensor of 8 x 8 in the caches: the median of many samples.
double seconds_of_tiny_execute(const bench_options &options, const context &ctx);

} // namespace tenfold::apps_impl
