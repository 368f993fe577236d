// Correlation energies, split by the spins of pairs.
#pragma once

namespace tenfold::ccsd {

/// The parts of a correlation energy (hartree). Pairs of opposite spins contribute tau_ij^ab
/// (ai|bj), pairs of same spin tau_ij^ab [(ai|bj) - (bi|aj)], summed over all i, j, a, b.
struct spin_parts {
    double opposite = 0;
    double same = 0;
    double singles = 0; ///< 2 f_ia t_i^a: 0 for Hartree-Fock orbitals

    double sum() const noexcept { return opposite + same + singles; }
    /// SCS-MP2 (S. Grimme, J. Chem. Phys. 118, 9095 (2003)): both parts scaled.
    double spin_component_scaled() const noexcept { return 1.2 * opposite + same / 3; }
};

} // namespace tenfold::ccsd
