// How threads share a box.
#pragma once

#include <algorithm>
#include <array>

#include "base/parallel.hpp"
#include "einsum/problem/checks.hpp"
#include "tensor/boxes.hpp"

namespace tenfold::reproducible_impl {

using tensor_impl::numbers;

/// Calls use(extents, position) for the parts of a box that threads share, cut along its longest
/// mode; the part begins at `position` of that mode.
template <class Use> void share(numbers extents, int threads, const Use &use) noexcept {
    constexpr index_t worth_a_thread = 1 << 15;
    index_t size = 1;
    for (const index_t extent : extents)
        size *= extent;
    const auto team = static_cast<int>(std::clamp<index_t>(size / worth_a_thread, 1, threads));
    const auto longest = static_cast<std::size_t>(std::max_element(extents.begin(), extents.end()) -
                                                  extents.begin());
    base::run_parallel(team, [&](base::team_member me) {
        if (me.size() == 1)
            return use(extents, longest, 0);
        std::array<index_t, 2 * einsum_impl::max_modes> own;
        std::copy(extents.begin(), extents.end(), own.begin());
        const base::range mine = base::split(extents[longest], me.size(), me.id());
        own[longest] = mine.size();
        use(numbers(own).first(extents.size()), longest, mine.begin);
    });
}

} // namespace tenfold::reproducible_impl
