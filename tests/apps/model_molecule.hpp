// Integrals of a fictitious molecule of any size, for which CCSD converges in a few iterations.
#pragma once

#include <string>

namespace tenfold::testing {

/// Returns an FCIDUMP: (pq|rs) = sum_L B_pq^L B_rs^L with small random B, orbital energies with a
/// gap, and a diagonal Fock matrix. The same numbers of orbitals always give the same text.
std::string model_molecule(int occupied, int virtuals);

} // namespace tenfold::testing
