// What tiles of reproducible results may take.
#pragma once

#include <tenfold/types.hpp>

namespace tenfold::dist_impl {

/// Elements that products on the way to one tile of D may hold at a time, of each kind: copies of A
/// and of B, and sums of nodes of the tree together.
struct tile_budget {
    index_t copies, sums;
    tile_budget halved() const noexcept { return {copies / 2, sums / 2}; }
};

} // namespace tenfold::dist_impl
