#include "base/traffic.hpp"

#include <algorithm>
#include <cstdlib>

namespace tenfold::base {

traffic::level traffic::level_of(double footprint, int threads) const noexcept {
    // Half of the last cache is left to passing data and other programs.
    return footprint <= l2_ * threads ? level::l2
           : footprint <= l3_ / 2     ? level::l3
                                      : level::memory;
}

double traffic::bandwidth(double footprint, double in_memory, int threads) const noexcept {
    switch (level_of(footprint, threads)) {
    case level::l2:
        return rates_.cache_bandwidth * threads;
    case level::l3:
        return std::max(in_memory, rates_.l3_bandwidth * threads);
    case level::memory:
        break;
    }
    return in_memory;
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
    const double in_turn = 2 * bytes / bandwidth(footprint, rates_.overwriting(threads), threads);
    if (level_of(footprint, threads) != level::l3)
        return in_turn;
    const double at_once = bytes / (rates_.l3_bandwidth * threads);
    return std::min(in_turn, std::max(at_once, in_cache(2 * bytes, threads)));
}

} // namespace tenfold::base
