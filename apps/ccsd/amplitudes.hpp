// Amplitudes: from integrals and residuals by orbital energies, and what is told of them.
#pragma once

#include "apps/ccsd/molecule.hpp"
#include "apps/ccsd/tensor_set.hpp"

namespace tenfold::ccsd {

/// Collective. T1 = 0 and T2[a,b,i,j] = (ai|bj) / (f_ii + f_jj - f_aa - f_bb).
void first_amplitudes(tensor_set &tensors, const molecule &system);

/// Local. X[a,b,i,j] or X[a,i] /= D, with the diagonal elements of the Fock matrix in D.
void divide_by_denominators(dist_tensor<double> &x, const molecule &system);

/// Local. T += R / D with the diagonal elements of the Fock matrix in D, those of virtual orbitals
/// raised by `level_shift` (hartree); R becomes what T changed by. The shift damps the update and
/// leaves where R = 0 as it is.
void update_amplitudes(tensor_set &tensors, const molecule &system, double level_shift);

/// Collective. The correlation energy of T1 and T2.
double correlation_energy(tensor_set &tensors);

/// Collective. Square root of the sum of squares of both.
double norm_of_both(const dist_tensor<double> &one, const dist_tensor<double> &two);

/// Collective. The one element of a tensor of order 0, on all ranks.
double scalar_of(const dist_tensor<double> &tensor);

} // namespace tenfold::ccsd
