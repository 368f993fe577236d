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
#include "gemm/kernels/registry.hpp"
#include "gemm/plan/shape.hpp"

namespace tenfold::contract_impl {

using base::machine_rates;

/// Elements of the whole tensors that a product's matrices are cut from: they decide whether the
/// matrices come from memory or stay in the cache between products.
struct tensor_sizes {
    double a = 0, b = 0, d = 0;
    bool sums = false; ///< products add up in D, which is read again
};

/// What a transposition does to neighbours in memory.
struct neighbours {
    bool stay = true; ///< stride 1 keeps its mode
    /// Elements of a stretch that stays in one piece; where stride 1 changes, of the shorter of the
    /// modes that have it before and after.
    index_t run = INT64_MAX;
    index_t step = 1; ///< distance of the closest elements, in the tensor that is not packed
};

class cost_model {
public:
    cost_model(data_type type, isa instruction_set, const machine_rates &rates,
               const base::machine &machine) noexcept;

    /// One GEMM (GEMV, GER, dot) of the model's type on `threads` threads, in the form that GEMM
    /// would choose: streamed or packed (gemm/plan/plan.hpp).
    double gemm_seconds(const gemm_impl::gemm_shape &shape, const tensor_sizes &whole,
                        int threads) const noexcept;

    /// One transposition that reads and writes `elements`, of `read_size` bytes each where they are
    /// read (types may differ).
    double transpose_seconds(double elements, index_t read_size, const neighbours &near,
                             int threads) const noexcept;

    /// A part of a tensor moved into cache, or, with `back`, from there into its place, by one of
    /// `threads` threads that share the memory. Unit-stride runs of `run` elements are read or
    /// written in whole lines.
    double move_seconds(double elements, index_t size, index_t run, bool keeps_fast_mode, bool back,
                        int threads) const noexcept;

    /// No matrix products of so many multiply-adds together take less.
    double least_product_seconds(double multiply_adds, int threads) const noexcept;

    /// Bytes of one core's L2.
    double cache() const noexcept { return cache_; }
    /// Bytes of L3, or of what takes its place.
    double last_cache() const noexcept { return last_cache_; }

    /// `calls` passes of a vector loop over `n` elements with these strides in A, B and D.
    double vector_loop_seconds(double calls, double n, const std::array<index_t, 3> &strides,
                               int threads) const noexcept;

    const machine_rates &rates() const noexcept { return rates_; }

private:
    /// Whether a product writes D by whole lines past the caches.
    bool passes_caches(const gemm_impl::gemm_shape &shape, const tensor_sizes &whole,
                       int threads) const noexcept;
    /// Of what comes from memory at that rate, unless all of it fits the caches.
    double bandwidth(double footprint, double in_memory, int threads) const noexcept;
    double flop_rate(int threads) const noexcept;
    /// Bytes that a cache-line transfer costs per useful byte when elements lie `step` apart.
    double line_waste(index_t step) const noexcept;

    /// What one of the matrices costs: `elements`, the closest two of which lie `step` apart.
    double stream_seconds(double elements, index_t step, double whole, double in_memory,
                          int threads) const noexcept;
    double streamed_seconds(const gemm_impl::gemm_shape &shape, double computing, double traffic,
                            int threads) const noexcept;
    /// Every row of tiles takes B's elements again. Each on a line of its own, they are too many
    /// for L1.
    double scattered_seconds(const gemm_impl::gemm_shape &shape, int threads) const noexcept;
    double packed_seconds(const gemm_impl::gemm_shape &shape, double computing, double a, double b,
                          double d, int threads) const noexcept;

    machine_rates rates_;
    const gemm_impl::kernel_info *kernel_; ///< null for types that are converted first
    double fma_flops_;                     ///< of the type
    double element_;                       ///< bytes
    double flops_per_madd_;
    double line_;
    double l1_;         ///< bytes
    double cache_;      ///< bytes of L2
    double last_cache_; ///< bytes of L3
    index_t kc_ = 1;    ///< steps after which packed products read D again
};

} // namespace tenfold::contract_impl
