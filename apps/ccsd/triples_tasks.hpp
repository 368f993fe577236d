// How the triples i >= j >= k of (T) are cut into tasks and shared out among ranks. Pure functions:
// all ranks come to the same result.
#pragma once

#include <array>
#include <vector>

#include <tenfold/types.hpp>

namespace tenfold::ccsd {

/// Occupied orbitals [begin, end).
struct orbital_block {
    index_t begin = 0;
    index_t end = 0;
    index_t size() const noexcept { return end - begin; }
};

/// `count` blocks of [0, o) that differ by one orbital at most.
std::vector<orbital_block> cut_into_blocks(index_t o, index_t count);

/// All triples i >= j >= k with i, j, k from these blocks, I >= J >= K.
using triples_task = std::array<std::size_t, 3>;

/// Triples of a task.
index_t triples_in(const triples_task &task, const std::vector<orbital_block> &blocks);

/// The tasks of each rank: largest tasks first, each to the rank with least to do; then ordered so
/// that one that follows another shares blocks with it.
std::vector<std::vector<triples_task>> share_tasks(const std::vector<orbital_block> &blocks,
                                                   int ranks);

/// Enough blocks that `ranks` ranks have work alike, as far as o allows.
index_t blocks_wanted(index_t o, int ranks);

} // namespace tenfold::ccsd
