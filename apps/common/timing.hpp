// Measures seconds and computes their statistics.
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

} // namespace tenfold::apps_impl
