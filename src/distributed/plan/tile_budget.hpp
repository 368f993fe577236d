// Limits the memory of tiles in reproducible contractions.
#pragma once

#include <tenfold/types.hpp>

namespace tenfold::dist_impl {

/// Elements that the products for one tile of D may hold at the same time: `copies` of A and of B
/// each, and `sums` for all nodes of the tree together.
struct tile_budget {
    index_t copies, sums;
    tile_budget halved() const noexcept { return {copies / 2, sums / 2}; }
};

} // namespace tenfold::dist_impl
