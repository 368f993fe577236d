// Diagnostics of converged amplitudes: whether one determinant is a good reference, which
// excitations matter, and what pairs of same and of opposite spin contribute.
#pragma once

#include <vector>

#include "apps/ccsd/amplitudes.hpp"
#include "apps/ccsd/molecule.hpp"
#include "apps/ccsd/tensor_set.hpp"

namespace tenfold::ccsd {

/// Orbitals are numbered as in the file, but from 0.
struct amplitude {
    double value = 0;
    std::vector<index_t> from; ///< occupied orbitals: i, or i and j
    std::vector<index_t> to;   ///< virtual orbitals: a, or a and b
};

struct diagnostics {
    /// |T1| / sqrt(number of correlated electrons). T. J. Lee, P. R. Taylor, Int. J. Quantum Chem.
    /// Symp. 23, 199 (1989).
    double t1 = 0;
    /// The largest singular value of T1. C. L. Janssen, I. M. B. Nielsen, Chem. Phys. Lett. 290,
    /// 423 (1998).
    double d1 = 0;
    /// Up to ten of each, largest first, none below 1e-8. Only one of t_ij^ab = t_ji^ba is listed.
    std::vector<amplitude> largest_t1;
    std::vector<amplitude> largest_t2;
    spin_parts energy;
};

/// Collective. Computes diagnostics of T1, T2 and the intermediates of energy_equations(); `energy`
/// is the correlation energy. Does not move T2.
diagnostics diagnose(tensor_set &tensors, const molecule &system, double energy);

} // namespace tenfold::ccsd
