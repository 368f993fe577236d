#include "moves.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <memory>
#include <vector>

#include <tenfold/transpose.hpp>

namespace tenfold::ccsd {
namespace {

constexpr auto word = static_cast<index_t>(sizeof(double));

using buffer = std::unique_ptr<double[]>;
buffer allocate(index_t size) {
    return std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(size));
}

/// A dense block to its place in the dense whole, in runs as long as can be.
void copy_block(const double *block, const slice &where, const extents_t &extents, double *whole) {
    if (where.empty())
        return;
    std::size_t mode = 0;
    index_t run = 1; ///< elements that lie side by side in both
    for (bool whole_so_far = true; whole_so_far && mode < extents.size(); ++mode) {
        run *= where.extents[mode];
        whole_so_far = where.extents[mode] == extents[mode];
    }
    std::vector<index_t> at(extents.size(), 0); ///< of the modes that are left
    const auto offset = [&] {
        index_t sum = 0;
        index_t step = 1;
        for (std::size_t i = 0; i < extents.size(); ++i) {
            sum += (where.offsets[i] + at[i]) * step;
            step *= extents[i];
        }
        return sum;
    };
    for (index_t left = where.size() / run; left > 0; --left, block += run) {
        std::memcpy(whole + offset(), block, static_cast<std::size_t>(run * word));
        for (std::size_t i = mode; i < extents.size() && ++at[i] == where.extents[i]; ++i)
            at[i] = 0;
    }
}

bool is_cut_along_second(const distribution &spread) {
    if (spread.order() != 4 || spread.extents()[0] != spread.extents()[1])
        return false;
    for (int rank = 0; rank < spread.ranks(); ++rank)
        if (spread.rank_of_cell().at(static_cast<std::size_t>(
                std::min(rank, spread.cells() - 1))) != std::min(rank, spread.cells() - 1))
            return false;
    return spread.grid() == std::vector<int>{1, spread.ranks(), 1, 1};
}

bool fits_counts(index_t elements) { return elements <= INT_MAX; }

/// Counts and displacements of one block per rank.
struct parcels {
    std::vector<int> counts;
    std::vector<int> offsets;

    void add(index_t size) {
        offsets.push_back(counts.empty() ? 0 : offsets.back() + counts.back());
        counts.push_back(static_cast<int>(size));
    }
};

} // namespace

void gather_blocks(const dist_tensor<double> &from, double *whole) {
    const distribution &spread = from.distribution();
    const index_t size = layout(from.extents()).size();
    if (!fits_counts(size)) {
        const tensor<double> all = from.gather_all();
        std::copy_n(all.data(), size, whole);
        return;
    }
    parcels blocks;
    for (int rank = 0; rank < spread.ranks(); ++rank)
        blocks.add(spread.block_of(rank).size());
    const buffer received = allocate(size);
    MPI_Allgatherv(from.data(), static_cast<int>(from.local_slice().size()), MPI_DOUBLE,
                   received.get(), blocks.counts.data(), blocks.offsets.data(), MPI_DOUBLE,
                   from.owner().comm());
    for (int rank = 0; rank < spread.ranks(); ++rank)
        copy_block(received.get() + blocks.offsets[static_cast<std::size_t>(rank)],
                   spread.block_of(rank), from.extents(), whole);
}

bool add_flipped(const dist_tensor<double> &from, dist_tensor<double> &to) {
    const distribution &spread = from.distribution();
    const index_t largest = spread.largest_block();
    if (!(spread == to.distribution()) || !is_cut_along_second(spread) ||
        !fits_counts(largest * spread.ranks()))
        return false;
    // The part of b in [begin, begin + count) and one rank's a goes to the rank whose b these are.
    const index_t v = from.extents()[0];
    const index_t ni = from.extents()[2];
    const index_t nj = from.extents()[3];
    const slice own = from.local_slice();
    const index_t mine = own.extents[1];
    parcels out;
    parcels in;
    for (int rank = 0; rank < spread.ranks(); ++rank) {
        const index_t theirs = spread.block_of(rank).extents[1];
        out.add(theirs * mine * ni * nj);
        in.add(mine * theirs * ni * nj);
    }
    const buffer sent = allocate(v * mine * ni * nj);
    const buffer received = allocate(v * mine * ni * nj);
    for (int rank = 0; rank < spread.ranks(); ++rank) {
        const slice theirs = spread.block_of(rank);
        double *to_rank = sent.get() + out.offsets[static_cast<std::size_t>(rank)];
        const double *row = from.data() + theirs.offsets[1];
        for (index_t i = 0; i < mine * ni * nj; ++i, row += v, to_rank += theirs.extents[1])
            std::memcpy(to_rank, row, static_cast<std::size_t>(theirs.extents[1] * word));
    }
    MPI_Alltoallv(sent.get(), out.counts.data(), out.offsets.data(), MPI_DOUBLE, received.get(),
                  in.counts.data(), in.offsets.data(), MPI_DOUBLE, from.owner().comm());
    const int threads = from.owner().threads();
    for (int rank = 0; rank < spread.ranks(); ++rank) {
        const slice theirs = spread.block_of(rank);
        if (theirs.empty() || own.empty())
            continue;
        const tensor_view<const double> x(received.get() +
                                              in.offsets[static_cast<std::size_t>(rank)],
                                          {mine, theirs.extents[1], nj, ni});
        const tensor_view<double> y(to.data() + theirs.offsets[1],
                                    {theirs.extents[1], mine, ni, nj},
                                    {1, v, v * mine, v * mine * ni});
        transpose("abij=baji", x, y, {.beta = 1.0, .threads = threads});
    }
    return true;
}

index_t gather_bytes(const distribution &from) { return layout(from.extents()).size() * word; }
index_t flip_bytes(const distribution &from) { return 2 * from.largest_block() * word; }

} // namespace tenfold::ccsd
