// The coupled-cluster equations, as the program executes them.
#pragma once

#include <span>

namespace tenfold::ccsd {

/// Lines in the library's notation, executed by tensor_set::run() in their order, and some
/// commands that the notation has no words for (pairs.hpp):
///     pack     Tp, Tm = tau           combinations over pairs, symmetric and antisymmetric
///     unpack   R2 += Pp, Pm           back
///     gather   T2_all = T2            the whole of a spread tensor on each rank
///     send     X through Z, K         begins what flip completes
///     flip     R2 += X                R2[a,b,i,j] += X[b,a,j,i]
///     combine  amplitudes             tau and u
using equation_list = std::span<const char *const>;

/// Of integrals alone, once.
equation_list setup_equations();
/// Residuals R1[a,i], R2[a,b,i,j], after the energy's lines of amplitudes T1[a,i], T2[a,b,i,j] =
/// T2[b,a,j,i].
equation_list residual_equations();
/// Correlation energy E[] of T1, T2, which are gathered; makes tau as well.
equation_list energy_equations();
/// Of energies' tau; the scalar Eo, in hartree.
equation_list opposite_spin_equations();

} // namespace tenfold::ccsd
