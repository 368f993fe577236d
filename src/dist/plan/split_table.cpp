#include "dist_plan/split_table.hpp"

#include <algorithm>

#include "base/checked.hpp"

namespace tenfold::dist_impl {

split_table::split_table(extents_t extents, int limit) {
    // An empty tensor is all alike, and the product of its other extents need not fit 64 bits.
    if (std::find(extents.begin(), extents.end(), 0) != extents.end())
        extents.assign(extents.size(), 0);

    const auto entries = at(limit) + 1;
    level none{std::vector<index_t>(entries, -1), std::vector<int>(entries, 1)};
    none.largest[1] = 1;
    levels_.push_back(std::move(none));

    for (const index_t extent : extents) {
        const level &before = levels_.back();
        level next{std::vector<index_t>(entries, -1), std::vector<int>(entries, 1)};
        for (int rest = 1; rest <= limit; ++rest) {
            if (before.largest[at(rest)] < 0)
                continue;
            for (int factor = 1; factor <= limit / rest; ++factor) {
                const index_t largest = before.largest[at(rest)] * base::divide_up(extent, factor);
                const std::size_t parts = at(rest * factor);
                if (next.largest[parts] < 0 || largest < next.largest[parts] ||
                    (largest == next.largest[parts] && factor > next.factor[parts])) {
                    next.largest[parts] = largest;
                    next.factor[parts] = factor;
                }
            }
        }
        levels_.push_back(std::move(next));
    }

    for (int parts = 1; parts <= limit; ++parts)
        if (possible(parts) && (useful_.empty() || largest(parts) < largest(useful_.back())))
            useful_.push_back(parts);
}

bool split_table::possible(int parts) const noexcept {
    return parts >= 1 && at(parts) < levels_.back().largest.size() && largest(parts) >= 0;
}

std::vector<int> split_table::factors(int parts) const {
    std::vector<int> result(levels_.size() - 1);
    for (std::size_t mode = result.size(); mode-- > 0;) {
        result[mode] = levels_[mode + 1].factor[at(parts)];
        parts /= result[mode];
    }
    return result;
}

} // namespace tenfold::dist_impl
