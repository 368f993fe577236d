// Where intermediates lie in one block of memory, so that those that do not live at the same time
// share it.
#pragma once

#include <span>
#include <vector>

#include <tenfold/types.hpp>

namespace tenfold::contract_impl {

/// A piece of memory that is needed from step `first` to step `last`.
struct lifetime {
    index_t bytes; ///< a multiple of 64
    std::size_t first, last;
};

class arena_layout {
public:
    /// No block can be smaller than what lives at a time. That much is tried first, one piece after
    /// the other as they are needed, from both ends in turn: for chains, where two intermediates
    /// live at a time, it is always enough. Where it is not, the largest piece is placed first,
    /// each as low as pieces that live with it allow. O(n^2 log n). Throws errc::overflow.
    explicit arena_layout(std::vector<lifetime> pieces);

    index_t offset(std::size_t piece) const { return offsets_[piece]; }
    /// Bytes up to the end of the last piece.
    index_t size() const noexcept { return size_; }

    /// Bytes up to the end of the last piece that lives in `step`.
    index_t top(std::size_t step) const;
    /// The largest piece of memory below top(step) that is free in `step`.
    index_t largest_hole(std::size_t step) const;
    /// The lowest place for `bytes` that are needed in `step` only; beyond top() if need be.
    index_t place(std::size_t step, index_t bytes) const;

private:
    struct interval {
        index_t begin, end;
    };
    /// What is taken while a step of first .. last runs, by address.
    std::vector<interval> taken(std::size_t first, std::size_t last) const;
    static index_t lowest_place(const std::vector<interval> &taken, index_t bytes);
    /// The highest place below `size`; negative where there is none.
    static index_t highest_place(std::vector<interval> taken, index_t bytes, index_t size);

    index_t most_at_a_time() const;
    /// False where this much is not enough.
    bool place_from_both_ends(index_t size);
    void place_largest_first();

    std::vector<lifetime> pieces_;
    std::vector<index_t> offsets_; ///< negative: not placed yet
    index_t size_ = 0;
};

} // namespace tenfold::contract_impl
