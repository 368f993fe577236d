// The perturbative correction for connected triple excitations, (T).
#pragma once

#include <functional>

#include "apps/ccsd/molecule.hpp"
#include "apps/ccsd/tensor_set.hpp"
#include "apps/ccsd/triples_tasks.hpp"

namespace tenfold::ccsd {

/// Bytes of one rank beside the tensors, for `threads` threads and so many blocks of occupied
/// orbitals.
index_t triples_bytes(index_t o, index_t v, int threads, index_t blocks);

/// What triples_correction() tells after each tenth, the same on all ranks.
using triples_observer = std::function<void(const triples_progress &)>;

/// Collective. From T1, T2 and the blocks vvvo, vooo, vovo over canonical orbitals, which are read
/// in `block_count` blocks of occupied orbitals as they are needed. The sum over triples is the
/// same on any number of ranks and threads, but for rounding in T1 and T2. What is done in `start`
/// (empty: nothing) is not done again; `observe` may be empty.
double triples_correction(tensor_set &tensors, const molecule &system, index_t block_count,
                          const triples_progress &start, const triples_observer &observe);

} // namespace tenfold::ccsd
