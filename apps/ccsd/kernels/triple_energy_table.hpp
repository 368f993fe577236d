// The kernels of the energy of one triple, by instruction set.
#pragma once

#include <iterator>

#include <tenfold/types.hpp>

#include "apps/ccsd/kernels/triple_energy_kernels.hpp"
#include "triple_energy_list.hpp" // written by the build

namespace tenfold::ccsd {

#define TENFOLD_CCSD_DECLARE(set)                                                                  \
    extern "C" double tenfold_apps_triple_energy_##set(const triple_operands &);
TENFOLD_CCSD_KERNELS(TENFOLD_CCSD_DECLARE)
#undef TENFOLD_CCSD_DECLARE

struct listed_triple_energy {
    isa set;
    triple_energy_kernel kernel;
};

/// Best first; the last one runs on all processors of the architecture.
#define TENFOLD_CCSD_LIST(set) {isa::set, tenfold_apps_triple_energy_##set},
inline constexpr listed_triple_energy triple_energy_table[] = {
    TENFOLD_CCSD_KERNELS(TENFOLD_CCSD_LIST)};
#undef TENFOLD_CCSD_LIST

/// The kernel for the instruction set of a context, which has kernels of its own or takes the last.
inline triple_energy_kernel triple_energy_for(isa set) noexcept {
    for (const listed_triple_energy &one : triple_energy_table)
        if (one.set == set)
            return one.kernel;
    return std::end(triple_energy_table)[-1].kernel;
}

} // namespace tenfold::ccsd
