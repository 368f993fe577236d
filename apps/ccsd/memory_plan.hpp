// How much memory a calculation will take, found out without doing it.
#pragma once

#include <optional>

#include "apps/ccsd/options.hpp"

namespace tenfold::ccsd {

/// What memory depends on.
struct problem_size {
    index_t orbitals = 0; ///< of the file
    index_t o = 0;        ///< active occupied ones
    index_t v = 0;
    int ranks = 1;
    int threads = 1;       ///< of each rank
    bool canonical = true; ///< else MP2 and (T) rotate what they need
};

struct memory_plan {
    index_t bytes = 0; ///< of the rank with most, tensors and buffers together
    std::optional<byte_count> workspace_limit; ///< of contractions; empty: as much as they like
    index_t triples_blocks = 0;                ///< of occupied orbitals, for (T)
    bool replicates = false; ///< what lines sum over lies whole on each rank (placement.hpp)
    int diis = 0;            ///< vectors: as many as asked for, or fewer where `memory` was short
    /// While integrals are read each rank has the list of all, which takes no more than what comes
    /// later; else the root has.
    bool lists_everywhere = false;
};

/// Plans for what `how` asks for; where `how.memory` is given, with workspace as small as that
/// takes, and where even that is too much, with fewer vectors of DIIS. Throws
/// errc::workspace_too_small that states the minimum.
memory_plan plan_memory(const problem_size &size, const options &how);

} // namespace tenfold::ccsd
