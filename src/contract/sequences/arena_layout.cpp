#include "contract/sequences/arena_layout.hpp"

#include <algorithm>
#include <numeric>

#include "base/checked.hpp"

namespace tenfold::contract_impl {

arena_layout::arena_layout(std::vector<lifetime> pieces)
    : pieces_(std::move(pieces)), offsets_(pieces_.size(), -1), size_(most_at_a_time()) {
    if (!place_from_both_ends(size_))
        place_largest_first();
}

index_t arena_layout::most_at_a_time() const {
    index_t most = 0;
    for (const lifetime &start : pieces_) { // the sum only grows when a piece's lifetime begins
        index_t sum = 0;
        for (const lifetime &one : pieces_)
            if (one.first <= start.first && start.first <= one.last)
                sum = base::checked_add(sum, one.bytes, "bytes of intermediates");
        most = std::max(most, sum);
    }
    return most;
}

bool arena_layout::place_from_both_ends(index_t size) {
    std::vector<std::size_t> earliest_first(pieces_.size());
    std::iota(earliest_first.begin(), earliest_first.end(), std::size_t{0});
    std::stable_sort(earliest_first.begin(), earliest_first.end(), [&](auto one, auto other) {
        return pieces_[one].first < pieces_[other].first;
    });
    bool from_below = true;
    for (const std::size_t piece : earliest_first) {
        const lifetime &here = pieces_[piece];
        const std::vector<interval> others = taken(here.first, here.last);
        const index_t offset =
            from_below ? lowest_place(others, here.bytes) : highest_place(others, here.bytes, size);
        if (offset < 0 || offset > size - here.bytes) {
            std::fill(offsets_.begin(), offsets_.end(), index_t{-1});
            return false;
        }
        offsets_[piece] = offset;
        from_below = !from_below;
    }
    return true;
}

void arena_layout::place_largest_first() {
    std::vector<std::size_t> largest_first(pieces_.size());
    std::iota(largest_first.begin(), largest_first.end(), std::size_t{0});
    std::stable_sort(largest_first.begin(), largest_first.end(), [&](auto one, auto other) {
        return pieces_[one].bytes > pieces_[other].bytes;
    });
    for (const std::size_t piece : largest_first) {
        const lifetime &here = pieces_[piece];
        const index_t offset = lowest_place(taken(here.first, here.last), here.bytes);
        size_ = std::max(size_, base::checked_add(offset, here.bytes, "bytes of intermediates"));
        offsets_[piece] = offset;
    }
}

std::vector<arena_layout::interval> arena_layout::taken(std::size_t first, std::size_t last) const {
    std::vector<interval> all;
    for (std::size_t i = 0; i < pieces_.size(); ++i)
        if (offsets_[i] >= 0 && pieces_[i].first <= last && first <= pieces_[i].last)
            all.push_back({offsets_[i], offsets_[i] + pieces_[i].bytes});
    std::sort(all.begin(), all.end(),
              [](const interval &one, const interval &other) { return one.begin < other.begin; });
    return all;
}

index_t arena_layout::lowest_place(const std::vector<interval> &taken, index_t bytes) {
    index_t place = 0;
    for (const interval &one : taken) {
        if (one.begin - place >= bytes)
            return place;
        place = std::max(place, one.end);
    }
    return place;
}

index_t arena_layout::highest_place(std::vector<interval> taken, index_t bytes, index_t size) {
    // Sorted by end; pieces of different lifetimes may overlap in memory.
    std::sort(taken.begin(), taken.end(),
              [](const interval &one, const interval &other) { return one.end > other.end; });
    index_t end = size;
    for (const interval &one : taken) {
        if (end - one.end >= bytes)
            return end - bytes;
        end = std::min(end, one.begin);
    }
    return end - bytes;
}

index_t arena_layout::top(std::size_t step) const {
    index_t top = 0;
    for (const interval &one : taken(step, step))
        top = std::max(top, one.end);
    return top;
}

index_t arena_layout::largest_hole(std::size_t step) const {
    index_t largest = 0;
    index_t end = 0;
    for (const interval &one : taken(step, step)) {
        largest = std::max(largest, one.begin - end);
        end = std::max(end, one.end);
    }
    return largest;
}

index_t arena_layout::place(std::size_t step, index_t bytes) const {
    return lowest_place(taken(step, step), bytes);
}

} // namespace tenfold::contract_impl
