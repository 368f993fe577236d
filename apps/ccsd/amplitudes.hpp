// Amplitudes: made from integrals and residuals by orbital energies, and their energy and norms.
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

/// Collective. Returns the correlation energy of T1 and T2, in hartree.
double correlation_energy(tensor_set &tensors);

/// Collective. Returns the square root of the sum of squares of both tensors.
double norm_of_both(const dist_tensor<double> &one, const dist_tensor<double> &two);

/// Collective. Returns the one element of a tensor of order 0 on all ranks.
double scalar_of(const dist_tensor<double> &tensor);

} // namespace tenfold::ccsd
