// Rates of products, measured in some milliseconds.
#pragma once

#include "base/rate_probe.hpp"

namespace tenfold::gemm_impl {

/// A base::rate_probe: multiply-adds, micro-kernels, packing in L2 and from L3, calls. Takes the
/// best of samples of some microseconds each, in turns: other programs can only slow a core down.
/// Takes 5 ms on a server of 2021, and ends after 15 ms in any case that allows one sample of each.
/// Throws std::bad_alloc.
void probe_rates(const base::machine &machine, isa instruction_set, base::machine_rates &rates);

} // namespace tenfold::gemm_impl
