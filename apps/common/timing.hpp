// Measures seconds, computes their statistics, and decides which of repeated runs count.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace tenfold::apps_impl {

class stopwatch {
public:
    double seconds() const { return std::chrono::duration<double>(clock::now() - start_).count(); }

private:
    using clock = std::chrono::steady_clock;
    clock::time_point start_ = clock::now();
};

inline double minimum(const std::vector<double> &samples) {
    return *std::min_element(samples.begin(), samples.end());
}

inline double median(std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    const std::size_t half = samples.size() / 2;
    return samples.size() % 2 == 1 ? samples[half] : (samples[half - 1] + samples[half]) / 2;
}

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
