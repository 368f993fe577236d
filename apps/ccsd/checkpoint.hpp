// Saves the state of a calculation to a file, from which any number of ranks can continue.
#pragma once

#include <string>

#include "apps/ccsd/diis.hpp"
#include "apps/ccsd/molecule.hpp"
#include "apps/ccsd/solver.hpp"
#include "apps/ccsd/tensor_set.hpp"
#include "apps/ccsd/triples_tasks.hpp"

namespace tenfold::ccsd {

/// The content of a checkpoint besides tensors, which load_checkpoint() puts into the tensor_set.
struct restart_state {
    ccsd_start ccsd;
    triples_progress triples; ///< empty: (T) had not begun
};

/// Collective. Saves T1, T2, the iterations so far, and the vectors of `history`, so that a
/// restarted calculation does the same iterations as an uninterrupted one. Throws as save() does
/// and then leaves the file as it was.
void save_iterations(tensor_set &tensors, const molecule &system, const std::string &path,
                     const ccsd_result &result, const diis &history);

/// Names of the tensors that hold T1 and T2.
struct amplitude_names {
    std::string t1 = "T1";
    std::string t2 = "T2";
};

/// Collective. Saves the amplitudes, the iterations, and `progress` (which triples are done, and
/// their energies), which is the same on all ranks.
void save_triples(tensor_set &tensors, const molecule &system, const std::string &path,
                  const ccsd_result &result, const triples_progress &progress,
                  const amplitude_names &amplitudes);

/// Collective. Creates T1 and T2 and the newest `diis_vectors` vectors of DIIS. Throws usage_error
/// for a checkpoint of another molecule, basis set or frozen core, and as load() does.
restart_state load_checkpoint(tensor_set &tensors, const molecule &system, const std::string &path,
                              int diis_vectors);

/// Bytes that saving needs on each rank besides the tensors, approximately.
index_t checkpoint_bytes(index_t o, index_t v);

} // namespace tenfold::ccsd
