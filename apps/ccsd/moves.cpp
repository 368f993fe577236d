#include "apps/ccsd/moves.hpp"

#include <algorithm>
#include <vector>

#include <tenfold/dist_gather.hpp>
#include <tenfold/dist_operations.hpp>

#include "apps/ccsd/placement.hpp"

namespace tenfold::ccsd {
namespace {

slice all_of(const extents_t &extents) { return {extents_t(extents.size(), 0), extents}; }

/// Messages of a redistribution that are under way in one direction: at most 64 MiB of them
/// (docs/distribution.md).
index_t bytes_under_way(index_t elements) { return std::min(elements * word, mib(64).value); }

} // namespace

void gather_whole(const dist_tensor<double> &from, double *whole) {
    gather_slice(from, all_of(from.extents()), tensor_view<double>(whole, from.extents()));
}

index_t gather_bytes(const distribution &from) {
    // Blocks are sent from where they are; the rank with the smallest one receives most.
    const index_t all = layout(from.extents()).size();
    index_t least = all;
    for (int rank = 0; rank < from.ranks(); ++rank)
        least = std::min(least, from.block_of(rank).size());
    return bytes_under_way(all - least);
}

void add_flipped(const dist_tensor<double> &x, dist_tensor<double> &to) {
    transpose("abij+=baji", x, all_of(x.extents()), to, all_of(to.extents()));
}

bool is_cut_for_flip(const distribution &spread) {
    return spread.order() == 4 && spread.extents()[0] == spread.extents()[1] &&
           spread.grid() == std::vector<int>{1, spread.ranks(), 1, 1};
}

index_t flip_bytes(const distribution &spread) {
    const index_t v = spread.extents()[0];
    index_t most = 0; // that a rank sends, and receives; the rest stays
    for (int rank = 0; rank < spread.ranks(); ++rank) {
        const slice block = spread.block_of(rank);
        most = std::max(most, block.size() / v * (v - block.extents[1]));
    }
    return 2 * bytes_under_way(most);
}

} // namespace tenfold::ccsd
