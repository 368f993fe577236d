// Amplitudes: made from integrals and residuals by orbital energies, the combinations of them that
// the equations multiply by, and their energy and norms.
#pragma once

#include "apps/ccsd/molecule.hpp"
#include "apps/ccsd/tensor_set.hpp"

namespace tenfold::ccsd {

/// Collective. T1 = 0 and T2[a,b,i,j] = (ai|bj) / (f_ii + f_jj - f_aa - f_bb).
void first_amplitudes(tensor_set &tensors, const molecule &system);

/// Local. Divides X[a,b,i,j] or X[a,i] by D, which contains the diagonal elements of the Fock
/// matrix.
void divide_by_denominators(dist_tensor<double> &x, const molecule &system);

/// Local. T += R / D, where D contains the diagonal elements of the Fock matrix, with those of
/// virtual orbitals raised by `level_shift` (hartree). R becomes the change of T. The shift damps
/// the update and keeps the solution, R = 0.
void update_amplitudes(tensor_set &tensors, const molecule &system, double level_shift);

/// True if amplitudes are whole on each rank and results may depend on the number of ranks.
/// Otherwise combination_lines compute the same, in one pass each.
bool combines_at_once(const placement &where);

/// Collective. tau[a,b,i,j] = T2_all[a,b,i,j] + T1_all[a,i] T1_all[b,j] and u[a,i,b,j] = 2
/// T2_all[a,b,i,j] - T2_all[a,b,j,i], in the order that the ring contractions read.
void combine_amplitudes(tensor_set &tensors);

constexpr const char *combination_lines[] = {
    "tau[a,b,i,j]  = T2_all[a,b,i,j]",
    "tau[a,b,i,j] += T1_all[a,i]*T1_all[b,j]",
    "u[a,i,b,j]  = 2*T2_all[a,b,i,j]",
    "u[a,i,b,j] -= T2_all[a,b,j,i]",
};

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

/// Collective. Returns the correlation energy of T1 and T2, in hartree.
double correlation_energy(tensor_set &tensors);

/// Collective. Returns the square root of the sum of squares of both tensors.
double norm_of_both(const dist_tensor<double> &one, const dist_tensor<double> &two);

} // namespace tenfold::ccsd
