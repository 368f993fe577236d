#include "distributed/plan/split_table.hpp"

#include <algorithm>
#include <tuple>

#include "base/checked.hpp"

namespace tenfold::dist_impl {

split_table::split_table(extents_t extents, int limit) : extents_(std::move(extents)) {
    // All blocks of an empty tensor are empty, and the product of its other extents may exceed
    // 64 bits.
    if (std::find(extents_.begin(), extents_.end(), 0) != extents_.end())
        extents_.assign(extents_.size(), 0);

    const auto entries = at(limit) + 1;
    const level none{std::vector<index_t>(entries, -1), std::vector<index_t>(entries, 0),
                     std::vector<int>(entries, 1)};
    levels_.push_back(none);
    levels_.back().largest[1] = 1;

    for (const index_t extent : extents_) {
        const level &before = levels_.back();
        level next = none;
        for (int rest = 1; rest <= limit; ++rest) {
            if (before.largest[at(rest)] < 0)
                continue;
            for (int factor = 1; factor <= limit / rest; ++factor) {
                const index_t block = base::divide_up(extent, factor);
                // Saturates only in tensors that are empty because of another group.
                const index_t largest = base::saturated_multiply(before.largest[at(rest)], block);
                const index_t sum = base::saturated_add(before.extent_sum[at(rest)], block);
                const std::size_t parts = at(rest * factor);
                const auto order = std::tuple(largest, sum, -factor);
                if (next.largest[parts] < 0 ||
                    order < std::tuple(next.largest[parts], next.extent_sum[parts],
                                       -next.factor[parts])) {
                    next.largest[parts] = largest;
                    next.extent_sum[parts] = sum;
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

std::vector<std::vector<int>> split_table::ties(int parts, std::size_t most) const {
    std::vector<std::vector<int>> found;
    std::vector<int> factors(extents_.size(), 1);
    add_ties(extents_.size(), parts, largest(parts), most, factors, found);
    return found;
}

/// Adds the factors of the first `mode` modes whose largest block has `rest` elements.
void split_table::add_ties(std::size_t mode, int parts, index_t rest, std::size_t most,
                           std::vector<int> &factors, std::vector<std::vector<int>> &found) const {
    if (found.size() == most || levels_[mode].largest[at(parts)] != rest)
        return;
    if (mode == 0) {
        found.push_back(factors);
        return;
    }
    for (int factor = 1; factor <= parts; ++factor) {
        const index_t extent = base::divide_up(extents_[mode - 1], factor);
        if (parts % factor != 0 || extent == 0 || rest % extent != 0)
            continue;
        factors[mode - 1] = factor;
        add_ties(mode - 1, parts / factor, rest / extent, most, factors, found);
    }
    factors[mode - 1] = 1;
}

} // namespace tenfold::dist_impl
