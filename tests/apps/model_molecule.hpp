// Integrals of a molecule that does not exist, of any size, for which CCSD converges in a few
// iterations.
#pragma once

#include <string>

namespace tenfold::testing {

/// An FCIDUMP: (pq|rs) = sum_L B_pq^L B_rs^L with small random B, orbital energies with a gap, and
/// a diagonal Fock matrix. The same text for the same numbers of orbitals.
std::string model_molecule(int occupied, int virtuals);

} // namespace tenfold::testing
