#include "base/traffic.hpp"

#include <algorithm>
#include <cstdlib>

namespace tenfold::base {

double traffic::bandwidth(double footprint, double in_memory, int threads) const noexcept {
    // Half of the last cache is left to passing data and other programs.
    return footprint <= l2_ * threads ? rates_.cache_bandwidth * threads
           : footprint <= l3_ / 2     ? std::max(in_memory, rates_.l3_bandwidth * threads)
                                      : in_memory;
}

double traffic::line_waste(index_t step) const noexcept {
    const double apart = static_cast<double>(std::max<index_t>(1, std::abs(step)));
    return std::clamp(apart, 1.0, std::max(1.0, line_ / element_));
}

double traffic::seconds(const stream &data, double in_memory, int threads) const noexcept {
    const double bytes = data.elements * element_ * line_waste(data.step);
    return bytes / bandwidth(std::max(data.whole * element_, bytes), in_memory, threads);
}

double traffic::overwriting_seconds(const stream &data, int threads) const noexcept {
    const double bytes = data.elements * element_ * line_waste(data.step);
    const double footprint = std::max(data.whole * element_, bytes);
    const double memory = rates_.overwriting(threads);
    const double both_ways = 2 * bytes / bandwidth(footprint, memory, threads);
    const bool in_l3 = footprint > l2_ * threads && footprint <= l3_ / 2;
    return in_l3 ? std::min(both_ways, bytes / (rates_.l3_bandwidth * threads)) : both_ways;
}

} // namespace tenfold::base
