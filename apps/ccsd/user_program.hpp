// A user's own method: a program of equations (docs/programs.md) for the molecule of the FCIDUMP.
#pragma once

#include <tenfold/dist_program.hpp>

#include "apps/ccsd/options.hpp"

namespace tenfold::ccsd {

/// Collective. Runs the program of options::equations by the library's executor. Its ranges are
/// occupied and virtual, or spin_occupied and spin_virtual of spin orbitals, without frozen ones.
/// Its inputs are known by their names, in which each mode has a letter, o or v:
///     vovo[a,i,b,j]     (ai|bj), and likewise for any four orbitals
///     Avvoo[a,b,i,j]    <ab||ij> over spin orbitals
///     fvo[a,i]          the Fock matrix
///     eo[i], ev[a]      its diagonal: orbital energies
///     hf                the Hartree-Fock total energy
/// Prints scalar outputs and the profile of lines. Returns the exit status; throws usage_error for
/// other ranges and inputs, and failure without convergence.
int run_user_program(const world &ranks, const options &asked);

} // namespace tenfold::ccsd
