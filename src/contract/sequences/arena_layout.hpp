// Lays out intermediates in one block of memory, so that those with disjoint lifetimes share
// memory.
#pragma once

#include <span>
#include <vector>

#include <tenfold/types.hpp>

namespace tenfold::contract_impl {

/// A piece of memory that is used from step `first` to step `last`.
struct lifetime {
    index_t bytes; ///< a multiple of 64
    std::size_t first, last;
};

class arena_layout {
public:
    /// Places the pieces. The largest sum of pieces alive at one time is a lower bound for the
    /// block. That size is tried first, with the pieces in order of their first use from both ends
    /// in turn; it always suffices for chains, where two intermediates are alive at a time.
    /// Otherwise pieces are placed largest first, each as low as possible. O(n^2 log n). Throws
    /// errc::overflow.
    explicit arena_layout(std::vector<lifetime> pieces);

    index_t offset(std::size_t piece) const { return offsets_[piece]; }
    /// Bytes up to the end of the highest piece.
    index_t size() const noexcept { return size_; }

    /// Bytes up to the end of the highest piece that is alive in `step`.
    index_t top(std::size_t step) const;
    /// The largest piece of memory below top(step) that is free in `step`.
    index_t largest_hole(std::size_t step) const;
    /// The lowest free offset for `bytes` used in `step` only; it may be beyond top().
    index_t place(std::size_t step, index_t bytes) const;

private:
    struct interval {
        index_t begin, end;
    };
    /// The occupied intervals while steps first .. last run, sorted by address.
    std::vector<interval> taken(std::size_t first, std::size_t last) const;
    static index_t lowest_place(const std::vector<interval> &taken, index_t bytes);
    /// The highest free offset below `size`; negative if there is none.
    static index_t highest_place(std::vector<interval> taken, index_t bytes, index_t size);

    index_t most_at_a_time() const;
    /// Returns false if `size` does not suffice.
    bool place_from_both_ends(index_t size);
    void place_largest_first();

    std::vector<lifetime> pieces_;
    std::vector<index_t> offsets_; ///< negative: not placed yet
    index_t size_ = 0;
};

} // namespace tenfold::contract_impl
