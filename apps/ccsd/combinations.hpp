// The combinations of amplitudes that the equations multiply by, made in one pass over memory.
#pragma once

#include "apps/ccsd/tensor_set.hpp"

namespace tenfold::ccsd {

/// Where amplitudes are whole on each rank; else, and where bits must not depend on the number of
/// ranks, combination_lines() do the same, one pass each.
bool combines_at_once(const placement &where);

/// Collective. tau[a,b,i,j] = T2_all[a,b,i,j] + T1_all[a,i] T1_all[b,j] and
/// u[a,i,b,j] = 2 T2_all[a,b,i,j] - T2_all[a,b,j,i], in the order in which rings multiply by it.
void combine_amplitudes(tensor_set &tensors);

constexpr const char *combination_lines[] = {
    "tau[a,b,i,j]  = T2_all[a,b,i,j]",
    "tau[a,b,i,j] += T1_all[a,i]*T1_all[b,j]",
    "u[a,i,b,j]  = 2*T2_all[a,b,i,j]",
    "u[a,i,b,j] -= T2_all[a,b,j,i]",
};

} // namespace tenfold::ccsd
