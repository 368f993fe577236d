// Visits of all positions of two tensors, in blocks of two modes: those along which the elements of
// each lie closest. So copies between layouts use whole lines of both.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "base/footprint.hpp"
#include "base/parallel.hpp"
#include "contract/products/position_walker.hpp"
#include "einsum/problem/problem.hpp"

namespace tenfold::contract_impl {

/// Visits all positions of some modes.
class blocked_positions {
public:
    blocked_positions() = default;
    /// Neighbours in `one` and in `other` are near each other in the order of visits.
    blocked_positions(einsum_impl::mode_group modes, einsum_impl::tensor_id one,
                      einsum_impl::tensor_id other)
        : outer_(std::move(modes)) {
        inner_[0] = take_fastest(one);
        inner_[1] = take_fastest(other);
        for (std::size_t i = 0; i < 2; ++i)
            blocks_[i] = (inner_[i].extent + block - 1) / block;
        count_ = einsum_impl::extent_of(outer_) * blocks_[0] * blocks_[1];
    }

    /// Calls body(offsets) for every position, on `threads` threads.
    template <class Body> void visit(int threads, const Body &body) const noexcept {
        base::run_parallel(threads, [&](const base::team_member &member) {
            const base::range mine = base::split(count_, member.size(), member.id());
            base::in_watched_parts(mine, count_, [&](const base::range &part) {
                for (index_t i = part.begin; i < part.end; ++i)
                    visit_block(i, body);
            });
        });
    }

    std::size_t footprint() const noexcept {
        return allocated_by(outer_) + base::allocated_by(inner_[0].label) +
               base::allocated_by(inner_[1].label);
    }

private:
    static constexpr index_t block = 64; ///< bytes of a line, for the narrowest integers

    einsum_impl::problem_mode take_fastest(einsum_impl::tensor_id tensor) {
        const auto fastest =
            std::min_element(outer_.begin(), outer_.end(), [tensor](const auto &x, const auto &y) {
                // Stride 0: the tensor lacks the mode, or repeats along it.
                const auto far = [tensor](const auto &mode) {
                    return mode.stride[tensor] == 0 ? INT64_MAX : std::abs(mode.stride[tensor]);
                };
                return far(x) < far(y);
            });
        if (fastest == outer_.end())
            return {1, {}, {}};
        einsum_impl::problem_mode mode = std::move(*fastest);
        outer_.erase(fastest);
        return mode;
    }

    template <class Body> void visit_block(index_t number, const Body &body) const noexcept {
        const std::array<index_t, 2> first{number % blocks_[0] * block,
                                           number / blocks_[0] % blocks_[1] * block};
        offsets column = position_walker(outer_, number / (blocks_[0] * blocks_[1])).at();
        for (std::size_t t = 0; t < column.size(); ++t)
            column[t] += first[0] * inner_[0].stride[t] + first[1] * inner_[1].stride[t];
        const index_t rows = std::min(block, inner_[0].extent - first[0]);
        const index_t columns = std::min(block, inner_[1].extent - first[1]);
        for (index_t j = 0; j < columns; ++j) {
            offsets at = column;
            for (index_t i = 0; i < rows; ++i) {
                body(at);
                for (std::size_t t = 0; t < at.size(); ++t)
                    at[t] += inner_[0].stride[t];
            }
            for (std::size_t t = 0; t < column.size(); ++t)
                column[t] += inner_[1].stride[t];
        }
    }

    einsum_impl::mode_group outer_;
    std::array<einsum_impl::problem_mode, 2> inner_;
    std::array<index_t, 2> blocks_{1, 1};
    index_t count_ = 0; ///< of blocks
};

} // namespace tenfold::contract_impl
