// Predicts the memory of a calculation.
#pragma once

#include <optional>

#include "apps/ccsd/options.hpp"

namespace tenfold::ccsd {

/// The properties that memory depends on.
struct problem_size {
    index_t orbitals = 0; ///< in the file
    index_t o = 0;        ///< active occupied orbitals
    index_t v = 0;
    int ranks = 1;
    int threads = 1;       ///< of each rank
    bool canonical = true; ///< else MP2 and (T) rotate integrals
};

struct memory_plan {
    index_t bytes = 0; ///< on the rank with most, tensors and buffers together
    std::optional<byte_count> workspace_limit; ///< of contractions; empty: unlimited
    index_t triples_blocks = 0;                ///< of occupied orbitals, for (T)
    bool replicates = false; ///< operands that are summed over are whole on each rank
    int diis = 0;            ///< vectors: as many as asked for, or fewer to fit in `memory`
    /// Each rank holds the list of integrals while they are read, if that needs no more memory than
    /// what follows; else only the root does.
    bool lists_everywhere = false;
};

/// Plans the calculation that `how` describes. If `how.memory` is set, reduces the workspace to
/// fit, and if that is not enough, the vectors of DIIS. Throws errc::workspace_too_small with the
/// minimum.
memory_plan plan_memory(const problem_size &size, const options &how);

} // namespace tenfold::ccsd
