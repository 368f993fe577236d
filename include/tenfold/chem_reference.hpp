// The closed-shell determinant from which correlated methods start.
#pragma once

#include <vector>

#include <tenfold/chem_integrals.hpp>

namespace [[gnu::visibility("default")]] tenfold {
namespace chem {

/// Orbitals in an order for correlated methods: occupied ones, then virtual ones, each sorted by
/// diagonal element of the Fock matrix. Energies in hartree.
struct closed_shell {
    std::vector<index_t> order; ///< orbitals of the integrals
    index_t occupied = 0;
    double energy = 0;           ///< of the determinant, including the constant
    std::vector<double> fock;    ///< over ordered orbitals, column-major
    double largest_coupling = 0; ///< largest |f_ia|; 0 for converged Hartree-Fock orbitals

    index_t virtuals() const noexcept { return static_cast<index_t>(order.size()) - occupied; }
    /// Fock matrix between ordered orbitals. Its diagonal holds the orbital energies if orbitals
    /// are canonical.
    double f(index_t p, index_t q) const noexcept {
        return fock[static_cast<std::size_t>(p) + static_cast<std::size_t>(q) * order.size()];
    }
};

/// Finds the occupied orbitals, which no FCIDUMP states. It tries the first orbitals, those with
/// the lowest orbital energies that the file lists, and those with the lowest one-electron
/// energies, and refines each by repeatedly filling the orbitals with the lowest diagonal elements
/// of the Fock matrix. Returns the determinant with the lowest energy. O(orbitals^2 electrons).
/// Throws errc::invalid_argument unless the electrons are of a closed shell: an even number, at
/// least 2 and at most two for each orbital, and spin 0.
closed_shell find_closed_shell(const integrals &all);

} // namespace chem
} // namespace tenfold
