// The cost model predicts the seconds of an algorithm on this machine from its rates.
//
// It follows first principles: flops over the FMA rate, bytes over bandwidth, and a constant per
// call. The rates come from the calibration, else they are typical of the ISA. They only serve to
// choose between algorithms, so a common factor does not matter.
#pragma once

#include <array>

#include <tenfold/types.hpp>

#include "base/machine.hpp"
#include "base/rates.hpp"
#include "gemm/kernels/registry.hpp"
#include "gemm/plan/shape.hpp"

namespace tenfold::contract_impl {

using base::machine_rates;

constexpr double real(index_t n) noexcept { return static_cast<double>(n); }

/// Numbers of elements of the whole tensors to which a product's matrices belong. They decide
/// whether the matrices come from memory or stay in the cache between products.
struct tensor_sizes {
    double a = 0, b = 0, d = 0;
    bool sums = false; ///< several products are added up in D, which is read again
};

/// How a transposition treats neighbours in memory.
struct neighbours {
    bool stay = true; ///< the stride-1 mode remains the stride-1 mode
    /// Elements per contiguous run that remains contiguous. If the stride-1 mode changes, the
    /// extent of the shorter of the old and the new stride-1 mode.
    index_t run = INT64_MAX;
    index_t step = 1; ///< smallest stride in the tensor that is not dense
};

class cost_model {
public:
    cost_model(data_type type, isa instruction_set, const machine_rates &rates,
               const base::machine &machine) noexcept;

    /// One GEMM (GEMV, GER, dot) of the model's type on `threads` threads, in the form that GEMM
    /// would choose: streamed or packed (gemm/plan/plan.hpp).
    double gemm_seconds(const gemm_impl::gemm_shape &shape, const tensor_sizes &whole,
                        int threads) const noexcept;

    /// One transposition of `elements` elements, of `read_size` bytes each in the source (types may
    /// differ).
    double transpose_seconds(double elements, index_t read_size, const neighbours &near,
                             int threads) const noexcept;

    /// Moves part of a tensor into the cache or, if `back`, from the cache to its place, with one
    /// of `threads` threads that share the memory bandwidth. Runs of `run` elements are read or
    /// written in whole cache lines.
    double move_seconds(double elements, index_t size, index_t run, bool keeps_fast_mode, bool back,
                        int threads) const noexcept;

    /// A lower bound for any matrix products with that many multiply-adds together.
    double least_product_seconds(double multiply_adds, int threads) const noexcept;

    /// Bytes of one core's L2.
    double cache() const noexcept { return cache_; }
    /// Bytes of L3; 0 if there is none.
    double last_cache() const noexcept { return last_cache_; }

    /// `calls` passes of a vector loop over `n` elements with these strides in A, B and D.
    double vector_loop_seconds(double calls, double n, const std::array<index_t, 3> &strides,
                               int threads) const noexcept;

    const machine_rates &rates() const noexcept { return rates_; }

private:
    /// Whether a product writes D in whole cache lines with non-temporal stores.
    bool passes_caches(const gemm_impl::gemm_shape &shape, const tensor_sizes &whole,
                       int threads) const noexcept;
    /// The bandwidth for a footprint in bytes: `in_memory` unless it fits the caches.
    double bandwidth(double footprint, double in_memory, int threads) const noexcept;
    double flop_rate(int threads) const noexcept;
    /// Bytes transferred per useful byte when elements are `step` apart.
    double line_waste(index_t step) const noexcept;

    /// Seconds to stream one of the matrices: `elements` elements, the closest two of which are
    /// `step` apart.
    double stream_seconds(double elements, index_t step, double whole, double in_memory,
                          int threads) const noexcept;
    double streamed_seconds(const gemm_impl::gemm_shape &shape, double computing, double traffic,
                            int threads) const noexcept;
    /// Seconds for scattered B, which every row of micro-tiles reads again. With one element per
    /// cache line, B does not fit L1.
    double scattered_seconds(const gemm_impl::gemm_shape &shape, int threads) const noexcept;
    double packed_seconds(const gemm_impl::gemm_shape &shape, double computing, double a, double b,
                          double d, int threads) const noexcept;

    machine_rates rates_;
    const gemm_impl::kernel_info *kernel_; ///< null for types that are converted first
    double fma_flops_;                     ///< for the model's type
    double element_;                       ///< bytes
    double flops_per_madd_;
    double line_;
    double l1_;         ///< bytes
    double cache_;      ///< bytes of L2
    double last_cache_; ///< bytes of L3
    index_t kc_ = 1;    ///< steps of k after which packed products read D again
};

} // namespace tenfold::contract_impl
