// Which runs of something count.
#pragma once

#include "apps/common/timing.hpp"

namespace tenfold::apps_impl {

struct timed_runs {
    double seconds_min = 0;
    bool first_call = false; ///< seconds_min is that of a first call, which nothing had warmed up
};

/// Calls run(number), which returns its seconds, until `repeat` calls count. The first call of all
/// brings in pages, starts threads and fills caches, and is left out: users ask what each of many
/// calls takes. After one of a second or more none is repeated unasked: it counts.
/// `after_warm_up` is called where the first call did not count.
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
