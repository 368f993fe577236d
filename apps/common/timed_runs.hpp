// Repeats a run and decides which runs count.
#pragma once

#include "apps/common/timing.hpp"

namespace tenfold::apps_impl {

struct timed_runs {
    double seconds_min = 0;
    bool first_call = false; ///< seconds_min is that of a first call, without warm-up
};

/// Calls run(number), which returns its seconds, until `repeat` calls count. The first call maps
/// pages, starts threads and fills caches, and does not count, because users ask what each of many
/// calls takes. A first call of a second or more counts all the same. Calls `after_warm_up` if the
/// first call does not count.
template <class Run, class Then> timed_runs time_runs(int repeat, Run &&run, Then &&after_warm_up) {
    constexpr double longest_warm_up = 1;
    const double first = run(0);
    const bool counts = first >= longest_warm_up;
    std::vector<double> seconds;
    if (counts)
        seconds.push_back(first);
    else
        after_warm_up();
    for (int number = counts ? 1 : 0; number < repeat; ++number)
        seconds.push_back(run(number));
    return {minimum(seconds), counts && repeat == 1};
}

template <class Run> timed_runs time_runs(int repeat, Run &&run) {
    return time_runs(repeat, run, [] {});
}

} // namespace tenfold::apps_impl
