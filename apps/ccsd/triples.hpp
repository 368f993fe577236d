// The perturbative correction for connected triple excitations, (T).
#pragma once

#include <functional>

#include "apps/ccsd/molecule.hpp"
#include "apps/ccsd/tensor_set.hpp"
#include "apps/ccsd/triples_tasks.hpp"

namespace tenfold::ccsd {

/// Bytes of one rank besides the tensors, for this number of threads and of blocks of occupied
/// orbitals.
index_t triples_bytes(index_t o, index_t v, int threads, index_t blocks);

/// Called by triples_correction() after each tenth, with the same argument on all ranks.
using triples_observer = std::function<void(const triples_progress &)>;

/// Collective. Returns the energy from T1, T2 and the blocks vvvo, vooo, vovo over canonical
/// orbitals, which it reads in `block_count` blocks of occupied orbitals as it needs them. Apart
/// from rounding in T1 and T2, the sum is the same on any number of ranks and threads. Triples that
/// are done in `start` (empty: none) are not repeated; `observe` may be empty. If a signal asks the
/// program to end, calls `observe` once more and throws errc::stopped on all ranks.
double triples_correction(tensor_set &tensors, const molecule &system, index_t block_count,
                          const triples_progress &start, const triples_observer &observe);

} // namespace tenfold::ccsd
