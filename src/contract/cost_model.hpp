// What an algorithm should cost on this machine, in seconds, from a handful of rates.
//
// First principles: flops over the FMA rate, bytes over bandwidth, a constant per call. The rates
// are the machine's as far as it was calibrated, else typical of the instruction set; they decide
// between algorithms, and a factor common to all of them does not change the decision.
#pragma once

#include <array>

#include <tenfold/types.hpp>

#include "base/machine.hpp"
#include "base/rates.hpp"

namespace tenfold::contract_impl {

using base::machine_rates;

/// One matrix product as the model sees it. Strides in elements.
struct gemm_cost_shape {
    index_t m = 1, n = 1, k = 1;
    /// Smallest |stride| of each matrix along its two modes (modes of extent 1 left out): 1 when
    /// whole cache lines are used.
    index_t step_a = 1, step_b = 1, step_d = 1;
    /// Unit stride along m in both A and D, along n in both B and D: a micro-tile can read that
    /// matrix where it lies.
    bool along_m = false, along_n = false;
    /// Elements of the whole tensors that this product's matrices are cut from: they decide
    /// whether the matrices come from memory or stay in the cache between products.
    double whole_a = 0, whole_b = 0, whole_d = 0;
};

class cost_model {
public:
    cost_model(data_type type, const machine_rates &rates, const base::machine &machine) noexcept;

    /// One GEMM (GEMV, GER, dot) on `threads` threads.
    double gemm_seconds(const gemm_cost_shape &shape, int threads) const noexcept;

    /// One transposition that reads and writes `elements`; `keeps_fast_mode` when stride 1 stays.
    /// `read_size` bytes per element are read (types may differ).
    double transpose_seconds(double elements, index_t read_size, bool keeps_fast_mode,
                             bool accumulates, int threads) const noexcept;

    /// `calls` passes of a vector loop over `n` elements with these strides in A, B and D.
    double vector_loop_seconds(double calls, double n, const std::array<index_t, 3> &strides,
                               int threads) const noexcept;

    const machine_rates &rates() const noexcept { return rates_; }

private:
    /// Of what comes from memory at that rate, unless all of it fits the caches.
    double bandwidth(double footprint, double in_memory, int threads) const noexcept;
    double flop_rate(int threads) const noexcept;
    /// Bytes that a cache-line transfer costs per useful byte when elements lie `step` apart.
    double line_waste(index_t step) const noexcept;

    machine_rates rates_;
    double fma_flops_; ///< of the type
    double element_;   ///< bytes
    double flops_per_madd_;
    double line_;
    double cache_; ///< bytes of L2
};

} // namespace tenfold::contract_impl
