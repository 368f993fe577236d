// The cells of a distribution that have elements of a box.
#pragma once

#include <tenfold/dist_plan.hpp>

#include "distributed/plan/slice.hpp"

namespace tenfold::dist_impl {

inline int rank_in_copy(const distribution &spread, int copy, int cell) noexcept {
    return spread.rank_of_cell()[static_cast<std::size_t>(copy * spread.cells() + cell)];
}

/// Calls use(cell, common) for the cells whose blocks have elements in common with a box that is
/// not empty, O(order) each.
template <class Use>
void for_each_cell(const distribution &spread, const slice &box, const Use &use) {
    const std::size_t order = box.extents.size();
    extents_t last = box.offsets;
    for (std::size_t mode = 0; mode < order; ++mode)
        last[mode] += box.extents[mode] - 1;
    // The box meets the cells between those of its first and of its last element.
    int first_cell = spread.cell_of(spread.owner(box.offsets));
    int last_cell = spread.cell_of(spread.owner(last));
    extents_t begin(order), end(order);
    for (std::size_t mode = 0; mode < order; ++mode) {
        begin[mode] = first_cell % spread.grid()[mode];
        end[mode] = last_cell % spread.grid()[mode] + 1;
        first_cell /= spread.grid()[mode];
        last_cell /= spread.grid()[mode];
    }
    for (extents_t at = begin;;) {
        int cell = 0;
        for (std::size_t mode = order; mode-- > 0;)
            cell = cell * spread.grid()[mode] + static_cast<int>(at[mode]);
        const slice common = intersect(spread.block_of(rank_in_copy(spread, 0, cell)), box);
        if (!common.empty()) // blocks in between may be
            use(cell, common);
        std::size_t mode = 0;
        for (; mode < order && ++at[mode] == end[mode]; ++mode)
            at[mode] = begin[mode];
        if (mode == order)
            return;
    }
}

} // namespace tenfold::dist_impl
