// What converged amplitudes tell: whether one determinant is a good start, which excitations
// matter, and what pairs of like and of unlike spin contribute.
#pragma once

#include <vector>

#include "apps/ccsd/molecule.hpp"
#include "apps/ccsd/spin_parts.hpp"
#include "apps/ccsd/tensor_set.hpp"

namespace tenfold::ccsd {

/// Orbitals as the file numbers them, but from 0.
struct amplitude {
    double value = 0;
    std::vector<index_t> from; ///< occupied orbitals: i, or i and j
    std::vector<index_t> to;   ///< virtual ones: a, or a and b
};

struct diagnostics {
    /// |T1| / sqrt(number of correlated electrons). T. J. Lee, P. R. Taylor, Int. J. Quantum Chem.
    /// Symp. 23, 199 (1989).
    double t1 = 0;
    /// The largest singular value of T1. C. L. Janssen, I. M. B. Nielsen, Chem. Phys. Lett. 290,
    /// 423 (1998).
    double d1 = 0;
    /// Up to ten of each, largest first, none below 1e-8. Of t_ij^ab = t_ji^ba one is listed.
    std::vector<amplitude> largest_t1;
    std::vector<amplitude> largest_t2;
    spin_parts energy;
};

/// Collective. Of T1, T2 and what energy_equations() made of them; `energy` is the correlation
/// energy. T2 stays where it is.
diagnostics diagnose(tensor_set &tensors, const molecule &system, double energy);

} // namespace tenfold::ccsd
