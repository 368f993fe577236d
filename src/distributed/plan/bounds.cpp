#include "distributed/plan/bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace tenfold::dist_impl {

communication_bound lower_bound(index_t batch, index_t m, index_t n, index_t k, int ranks,
                                std::optional<double> memory_words) {
    if (batch == 0 || m == 0 || n == 0 || k == 0)
        return {};
    std::array<double, 3> d{static_cast<double>(m), static_cast<double>(n), static_cast<double>(k)};
    std::sort(d.begin(), d.end(), std::greater<>());
    const double work = d[0] * d[1] * d[2];
    // If there are more ranks than multiply-adds, the remaining ranks may be idle.
    const double p = std::clamp(static_cast<double>(ranks) / static_cast<double>(batch), 1.0, work);

    const double owned = (d[0] * d[1] + d[0] * d[2] + d[1] * d[2]) / p;
    const double accessed = p <= d[0] / d[1] ? (d[0] * d[1] + d[0] * d[2]) / p + d[1] * d[2]
                            : p <= d[0] * d[1] / (d[2] * d[2])
                                ? 2 * std::sqrt(d[0] * d[1] * d[2] * d[2] / p) + d[0] * d[1] / p
                                : 3 * std::pow(work / p, 2.0 / 3.0);
    communication_bound bound;
    bound.words = bound.independent_words = std::max(0.0, accessed - owned);
    if (memory_words && p > 1) {
        bound.dependent_words = std::max(0.0, 2 * work / (p * std::sqrt(*memory_words)) - owned);
        if (bound.dependent_words > bound.words) {
            bound.words = bound.dependent_words;
            bound.memory_dependent = true;
        }
    }
    return bound;
}

communication_bound communication_bound::less_held(double held) const noexcept {
    const auto rest = [&](double of) { return std::max(0.0, of - held); };
    return {rest(words), memory_dependent, rest(independent_words), rest(dependent_words)};
}

} // namespace tenfold::dist_impl
