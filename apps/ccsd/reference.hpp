// The closed-shell determinant that the correlated methods start from.
#pragma once

#include <vector>

#include "apps/ccsd/fcidump.hpp"

namespace tenfold::ccsd {

/// Orbitals in the order in which the program works: occupied ones, then virtual ones, each by
/// diagonal element of the Fock matrix. Energies in hartree.
struct reference_state {
    std::vector<index_t> order; ///< of the file's orbitals
    index_t occupied = 0;
    double energy = 0;           ///< of the determinant, constant included
    std::vector<double> fock;    ///< over ordered orbitals, column-major
    double largest_coupling = 0; ///< largest |f_ia|; 0 for converged Hartree-Fock orbitals

    double f(index_t p, index_t q) const noexcept {
        return fock[static_cast<std::size_t>(p) + static_cast<std::size_t>(q) * order.size()];
    }
};

/// Which orbitals are occupied no FCIDUMP says. Tried are: the first ones, those with the lowest
/// orbital energies that the file lists, those with the lowest one-electron energies, and what
/// follows from each by filling the lowest diagonal elements of the Fock matrix again and again;
/// the determinant with the lowest energy is taken.
reference_state find_reference(const integral_list &integrals);

} // namespace tenfold::ccsd
