#include "distributed/plan/split_table.hpp"

#include <algorithm>
#include <tuple>

#include "base/checked.hpp"

namespace tenfold::dist_impl {
namespace {

/// All blocks of an empty tensor are empty, and the product of its other extents may exceed 64
/// bits.
extents_t all_zero_if_empty(extents_t extents) {
    if (std::find(extents.begin(), extents.end(), 0) != extents.end())
        extents.assign(extents.size(), 0);
    return extents;
}

std::vector<int> divisors_of(int number) {
    std::vector<int> small, large;
    for (int one = 1; std::int64_t{one} * one <= number; ++one)
        if (number % one == 0) {
            small.push_back(one);
            if (one != number / one)
                large.push_back(number / one);
        }
    small.insert(small.end(), large.rbegin(), large.rend());
    return small;
}

/// Returns the numbers of parts that make blocks of one mode smaller than any lower number does.
std::vector<useful_split> useful_splits(index_t extent, int limit) {
    std::vector<useful_split> found;
    for (index_t parts = 1; parts <= limit;) {
        const index_t block = base::divide_up(extent, parts);
        found.push_back({static_cast<int>(parts), block});
        if (block <= 1)
            break;
        parts = base::divide_up(extent, block - 1);
    }
    return found;
}

} // namespace

split_table::split_table(extents_t extents, int parts)
    : extents_(all_zero_if_empty(std::move(extents))), divisors_(divisors_of(std::max(1, parts))) {
    levels_.emplace_back(divisors_.size());
    levels_.front().front().largest = 1;
    for (const index_t extent : extents_) {
        const std::vector<way> &before = levels_.back();
        std::vector<way> next(divisors_.size());
        for (std::size_t whole = 0; whole < divisors_.size(); ++whole)
            for (std::size_t rest = 0; rest <= whole; ++rest) {
                if (before[rest].largest < 0 || divisors_[whole] % divisors_[rest] != 0)
                    continue;
                const int factor = divisors_[whole] / divisors_[rest];
                const index_t block = base::divide_up(extent, factor);
                // Saturates only in tensors that are empty because of another group.
                const way one{base::saturated_multiply(before[rest].largest, block),
                              base::saturated_add(before[rest].extent_sum, block), factor};
                way &best = next[whole];
                if (best.largest < 0 || std::tuple(one.largest, one.extent_sum, -one.factor) <
                                            std::tuple(best.largest, best.extent_sum, -best.factor))
                    best = one;
            }
        levels_.push_back(std::move(next));
    }
}

std::size_t split_table::index_of(int divisor) const noexcept {
    return static_cast<std::size_t>(std::lower_bound(divisors_.begin(), divisors_.end(), divisor) -
                                    divisors_.begin());
}

std::vector<int> split_table::factors() const {
    std::vector<int> result(extents_.size());
    int parts = divisors_.back();
    for (std::size_t mode = result.size(); mode-- > 0;) {
        result[mode] = levels_[mode + 1][index_of(parts)].factor;
        parts /= result[mode];
    }
    return result;
}

std::vector<std::vector<int>> split_table::ties(std::size_t most) const {
    std::vector<std::vector<int>> found;
    std::vector<int> factors(extents_.size(), 1);
    add_ties(extents_.size(), divisors_.back(), largest(), most, factors, found);
    return found;
}

/// Adds the factors of the first `mode` modes whose largest block has `rest` elements.
void split_table::add_ties(std::size_t mode, int parts, index_t rest, std::size_t most,
                           std::vector<int> &factors, std::vector<std::vector<int>> &found) const {
    if (found.size() == most || levels_[mode][index_of(parts)].largest != rest)
        return;
    if (mode == 0) {
        found.push_back(factors);
        return;
    }
    for (const int factor : divisors_) {
        if (factor > parts)
            break;
        const index_t extent = base::divide_up(extents_[mode - 1], factor);
        if (parts % factor != 0 || extent == 0 || rest % extent != 0)
            continue;
        factors[mode - 1] = factor;
        add_ties(mode - 1, parts / factor, rest / extent, most, factors, found);
    }
    factors[mode - 1] = 1;
}

const split_table &split_tables::of(const extents_t &extents, int parts) {
    std::map<extents_t, split_table> &known = known_[parts];
    const auto found = known.find(extents);
    return found != known.end() ? found->second
                                : known.emplace(extents, split_table(extents, parts)).first->second;
}

std::vector<useful_split> useful_splits(const extents_t &extents, int limit) {
    // If a product of parts is useful, so is each factor: with fewer parts of a mode for blocks as
    // small, the product would be smaller, too.
    std::vector<useful_split> useful{{1, 1}};
    for (const index_t extent : all_zero_if_empty(extents)) {
        std::vector<index_t> largest(static_cast<std::size_t>(limit) + 1, -1);
        const std::vector<useful_split> ways = useful_splits(extent, limit);
        for (const useful_split &before : useful)
            for (const useful_split &way : ways) {
                if (std::int64_t{before.parts} * way.parts > limit)
                    break;
                const index_t block = base::saturated_multiply(before.largest, way.largest);
                index_t &known = largest[static_cast<std::size_t>(before.parts) *
                                         static_cast<std::size_t>(way.parts)];
                known = known < 0 ? block : std::min(known, block);
            }
        useful.clear();
        for (int parts = 1; parts <= limit; ++parts) {
            const index_t block = largest[static_cast<std::size_t>(parts)];
            if (block >= 0 && (useful.empty() || block < useful.back().largest))
                useful.push_back({parts, block});
        }
    }
    return useful;
}

} // namespace tenfold::dist_impl
