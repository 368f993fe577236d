// Who owns an element, and where it lies there.
#pragma once

#include <span>

#include <tenfold/dist_plan.hpp>

#include "distributed/plan/cells.hpp"

namespace tenfold::dist_impl {

/// Every copy has the element in the same cell, at the same place of the block.
struct place_in_copy {
    int cell;
    index_t place; ///< in the dense block
};

/// O(order); allocates nothing. The position must be one of the tensor.
inline place_in_copy find_place(const distribution &spread,
                                std::span<const index_t> position) noexcept {
    place_in_copy found{spread.cell_of(spread.owner(position)), 0};
    index_t stride = 1;
    int rest = found.cell;
    for (std::size_t mode = 0; mode < position.size(); ++mode) {
        const int parts = spread.grid()[mode];
        const int part = rest % parts;
        rest /= parts;
        const index_t begin = cut(spread.extents()[mode], part, parts);
        found.place += (position[mode] - begin) * stride;
        stride *= cut(spread.extents()[mode], part + 1, parts) - begin;
    }
    return found;
}

} // namespace tenfold::dist_impl
