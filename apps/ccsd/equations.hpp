// The coupled-cluster equations, as the program executes them.
#pragma once

#include <span>

namespace tenfold::ccsd {

/// Lines in the library's notation, which tensor_set::run() executes in their order, and some
/// commands that the notation cannot express (pairs.hpp):
///     pack     Tp, Tm = tau           combinations over pairs, symmetric and antisymmetric
///     unpack   R2 += Pp, Pm           the inverse of pack
///     gather   T2_all = T2            copies a distributed tensor to each rank
///     flip     R2 += X                R2[a,b,i,j] += X[b,a,j,i]
///     combine  amplitudes             tau and u
using equation_list = std::span<const char *const>;

/// Intermediates of integrals alone, computed once.
equation_list setup_equations();
/// Residuals R1[a,i], R2[a,b,i,j] of amplitudes T1[a,i], T2[a,b,i,j] = T2[b,a,j,i]; the energy's
/// lines must have run before.
equation_list residual_equations();
/// Correlation energy E[] of T1, T2, which these lines gather; they make tau as well.
equation_list energy_equations();
/// The opposite-spin part of the energy, Eo in hartree, from the energy's tau.
equation_list opposite_spin_equations();

} // namespace tenfold::ccsd
