// Combinations of amplitudes that the equations multiply by, made in one pass over memory.
#pragma once

#include "apps/ccsd/tensor_set.hpp"

namespace tenfold::ccsd {

/// True if amplitudes are whole on each rank and results may depend on the number of ranks.
/// Otherwise combination_lines() compute the same, in one pass each.
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

} // namespace tenfold::ccsd
