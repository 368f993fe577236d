// Visits a range of positions of some modes without allocating, with each tensor's offset.
#pragma once

#include <array>
#include <span>

#include "einsum/problem/problem.hpp"

namespace tenfold::contract_impl {

/// Offsets, in elements, of the current position in A, B, C and D.
using offsets = std::array<index_t, einsum_impl::tensor_count>;

/// Begins at the position with a given number and steps to the next, the first mode fastest.
class position_walker {
public:
    /// `modes` must outlive the walker. There is room for the modes of two tensors.
    position_walker(std::span<const einsum_impl::problem_mode> modes, index_t first) noexcept
        : modes_(modes) {
        for (std::size_t k = 0; k < modes_.size(); ++k) {
            counter_[k] = first % modes_[k].extent;
            first /= modes_[k].extent;
            move(k, counter_[k]);
        }
    }

    const offsets &at() const noexcept { return at_; }
    /// Whether the position is the last along the k-th mode.
    bool at_last(std::size_t k) const noexcept { return counter_[k] == modes_[k].extent - 1; }
    /// Positions from this one to the last along the first mode.
    index_t left_of_first() const noexcept {
        return modes_.empty() ? 1 : modes_.front().extent - counter_.front();
    }

    /// Moves on by `count` positions, at most left_of_first().
    void step(index_t count = 1) noexcept {
        for (std::size_t k = 0; k < modes_.size(); ++k, count = 1) {
            if (counter_[k] + count < modes_[k].extent) {
                counter_[k] += count;
                move(k, count);
                return;
            }
            move(k, -counter_[k]);
            counter_[k] = 0;
        }
    }

private:
    void move(std::size_t k, index_t by) noexcept {
        for (std::size_t t = 0; t < at_.size(); ++t)
            at_[t] += by * modes_[k].stride[t];
    }

    std::span<const einsum_impl::problem_mode> modes_;
    std::array<index_t, 2 * einsum_impl::max_modes> counter_; // valid for the modes of modes_
    offsets at_{};
};

} // namespace tenfold::contract_impl
