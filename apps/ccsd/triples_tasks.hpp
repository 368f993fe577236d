// Cuts the triples i >= j >= k of (T) into tasks and distributes these over ranks. Pure functions:
// all ranks compute the same result.
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

/// Cuts [0, o) into `count` blocks whose sizes differ by one orbital at most.
std::vector<orbital_block> cut_into_blocks(index_t o, index_t count);

/// i >= j >= k
using triple = std::array<index_t, 3>;

/// The number of triples i >= j >= k, and the index of one of them.
index_t triple_count(index_t o);
std::size_t index_of(const triple &one);

/// The known part of the sum over triples, by index_of().
struct triples_progress {
    std::vector<double> energies;   ///< hartree
    std::vector<std::uint8_t> done; ///< 1 if the energy is known

    bool empty() const noexcept { return done.empty(); }
};

/// Three blocks I >= J >= K: all triples i >= j >= k with i, j, k from these blocks.
using triples_task = std::array<std::size_t, 3>;

/// The triples of a task that are not done.
std::vector<triple> triples_of(const triples_task &task, const std::vector<orbital_block> &blocks,
                               const std::vector<std::uint8_t> &done);

/// A task or nothing for each rank in one round.
using triples_round = std::vector<std::optional<triples_task>>;

/// Returns the triples that are not done, in rounds. Ranks wait for each other between rounds,
/// because reading is collective. Therefore the tasks of a round have similar sizes, the largest
/// ones first. Each rank gets the task that shares most blocks with its last one.
std::vector<triples_round> share_tasks(const std::vector<orbital_block> &blocks,
                                       const std::vector<std::uint8_t> &done, int ranks);

/// Enough blocks that `ranks` ranks have equal work, as far as o allows.
index_t blocks_wanted(index_t o, int ranks);

} // namespace tenfold::ccsd
