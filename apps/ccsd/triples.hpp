// The perturbative correction for connected triple excitations, (T).
#pragma once

#include <optional>

#include "molecule.hpp"
#include "tensor_set.hpp"

namespace tenfold::ccsd {

/// Collective. From T1, T2 and the blocks vvvo, vooo, vovo over canonical orbitals. Blocks of
/// occupied orbitals are read as they are needed and made as small as `memory` demands; the sum
/// over triples is the same on any number of ranks and threads, but for rounding in T1 and T2.
/// Throws tenfold::error(errc::workspace_too_small) that states the minimum.
double triples_correction(tensor_set &tensors, const molecule &system,
                          const std::optional<byte_count> &memory);

} // namespace tenfold::ccsd
