// Keeps the few cheapest of many items.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace tenfold::contract_impl {

/// Keeps the `most` items with the least `seconds`, cheapest first. Of equal ones, it prefers those
/// that came first.
template <class Item> class shortlist {
public:
    explicit shortlist(std::size_t most) : most_(most) {}

    /// Items that take this long or longer are not kept.
    double most_seconds() const noexcept {
        return items_.size() < most_ ? std::numeric_limits<double>::infinity()
                                     : items_.back().seconds;
    }

    void add(Item item) {
        if (item.seconds >= most_seconds())
            return;
        if (items_.size() == most_)
            items_.pop_back();
        const auto place = std::upper_bound(
            items_.begin(), items_.end(), item.seconds,
            [](double seconds, const Item &other) { return seconds < other.seconds; });
        items_.insert(place, std::move(item));
    }

    const std::vector<Item> &items() const noexcept { return items_; }

private:
    std::size_t most_; ///< at least 1
    std::vector<Item> items_;
};

} // namespace tenfold::contract_impl
