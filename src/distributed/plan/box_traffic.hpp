// What ranks send each other so that each has the boxes of a tensor that it needs.
#pragma once

#include <vector>

#include <tenfold/dist_plan.hpp>

#include "base/function_ref.hpp"

namespace tenfold::dist_impl {

/// In elements, on the rank that has most of each.
struct box_traffic {
    index_t received = 0; ///< of other ranks' blocks
    index_t boxes = 0;    ///< in a rank's boxes together
    index_t messages = 0; ///< in messages of both directions, which hold a rank's own elements, too
};

/// O(ranks) times the boxes of a rank and the blocks that one meets.
box_traffic traffic_of(const distribution &spread,
                       base::function_ref<std::vector<slice>(int rank)> boxes_of);

/// Whether each rank has the whole tensor.
inline bool is_everywhere(const distribution &spread) noexcept {
    return spread.cells() == 1 && spread.copies() == spread.ranks();
}

} // namespace tenfold::dist_impl
