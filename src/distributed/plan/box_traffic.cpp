#include "distributed/plan/box_traffic.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "distributed/plan/cells.hpp"
#include "distributed/plan/copies.hpp"

namespace tenfold::dist_impl {

box_traffic traffic_of(const distribution &spread,
                       base::function_ref<std::vector<slice>(int rank)> boxes_of) {
    struct counts {
        index_t received = 0, in = 0, out = 0;
    };
    std::vector<counts> of(static_cast<std::size_t>(spread.ranks()));
    for (int rank = 0; rank < spread.ranks(); ++rank) {
        counts &mine = of[static_cast<std::size_t>(rank)];
        const int copy = copy_read_by(spread, rank);
        for (const slice &box : boxes_of(rank))
            if (!box.empty())
                for_each_cell(spread, box, [&](int cell, const slice &common) {
                    const int owner = rank_in_copy(spread, copy, cell);
                    counts &theirs = of[static_cast<std::size_t>(owner)];
                    mine.in = base::saturated_add(mine.in, common.size());
                    theirs.out = base::saturated_add(theirs.out, common.size());
                    if (owner != rank)
                        mine.received = base::saturated_add(mine.received, common.size());
                });
    }
    box_traffic most;
    for (const counts &one : of) {
        most.received = std::max(most.received, one.received);
        most.boxes = std::max(most.boxes, one.in);
        most.messages = std::max(most.messages, base::saturated_add(one.in, one.out));
    }
    return most;
}

} // namespace tenfold::dist_impl
