// The closed-shell determinant from which the correlated methods start.
#pragma once

#include <vector>

#include "apps/ccsd/fcidump.hpp"

namespace tenfold::ccsd {

/// Orbitals in the program's order: occupied ones, then virtual ones, each sorted by diagonal
/// element of the Fock matrix. Energies in hartree.
struct reference_state {
    std::vector<index_t> order; ///< the file's orbitals
    index_t occupied = 0;
    double energy = 0;           ///< of the determinant, including the constant
    std::vector<double> fock;    ///< over ordered orbitals, column-major
    double largest_coupling = 0; ///< largest |f_ia|; 0 for converged Hartree-Fock orbitals

    double f(index_t p, index_t q) const noexcept {
        return fock[static_cast<std::size_t>(p) + static_cast<std::size_t>(q) * order.size()];
    }
};

/// Finds the occupied orbitals, which no FCIDUMP states. It tries the first orbitals, those with
/// the lowest orbital energies that the file lists, and those with the lowest one-electron
/// energies, and refines each by repeatedly filling the orbitals with the lowest diagonal elements
/// of the Fock matrix. Returns the determinant with the lowest energy.
reference_state find_reference(const integral_list &integrals);

} // namespace tenfold::ccsd
