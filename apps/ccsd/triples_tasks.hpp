// How the triples i >= j >= k of (T) are cut into tasks and shared out among ranks. Pure functions:
// all ranks come to the same result.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
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

/// i >= j >= k
using triple = std::array<index_t, 3>;

/// How many triples i >= j >= k there are, and the place of one among them.
index_t triple_count(index_t o);
std::size_t index_of(const triple &one);

/// What is known of the sum over triples, at index_of().
struct triples_progress {
    std::vector<double> energies;   ///< hartree
    std::vector<std::uint8_t> done; ///< 1 where the energy is known

    bool empty() const noexcept { return done.empty(); }
};

/// All triples i >= j >= k with i, j, k from these blocks, I >= J >= K.
using triples_task = std::array<std::size_t, 3>;

/// Its triples that are not done.
std::vector<triple> triples_of(const triples_task &task, const std::vector<orbital_block> &blocks,
                               const std::vector<std::uint8_t> &done);

/// What the ranks do in one round: a task or nothing for each.
using triples_round = std::vector<std::optional<triples_task>>;

/// All that is not done, in rounds: ranks wait for each other between them, since reading is
/// collective. So tasks of a round are alike in size, largest ones first. Each rank gets the task
/// that shares most blocks with its last one.
std::vector<triples_round> share_tasks(const std::vector<orbital_block> &blocks,
                                       const std::vector<std::uint8_t> &done, int ranks);

/// Enough blocks that `ranks` ranks have work alike, as far as o allows.
index_t blocks_wanted(index_t o, int ranks);

} // namespace tenfold::ccsd
