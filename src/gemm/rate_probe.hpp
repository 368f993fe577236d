// Rates of products, measured in some milliseconds.
#pragma once

#include "base/rate_probe.hpp"

namespace tenfold::gemm_impl {

/// A base::rate_probe: multiply-adds, micro-kernels, packing in L2 and from L3, calls. Takes the
/// best of samples of some microseconds each, in turns: other programs can only slow a core down.
/// Takes 5 ms on a server of 2021, and ends after 15 ms in any case that allows one sample of each.
/// Throws std::bad_alloc.
void probe_rates(const base::machine &machine, isa instruction_set, base::machine_rates &rates);

/// Returns base::machine_rates::fmas_per_cycle, 1 or 2, of a core that computes so many flops per
/// second, from the length of its cycle. Takes 0.05 ms.
double measure_fmas_per_cycle(isa instruction_set, double fma_flops_f64);

} // namespace tenfold::gemm_impl
