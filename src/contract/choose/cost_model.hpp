// The cost model predicts the seconds of an algorithm on this machine from its rates.
//
// It follows first principles: flops over the FMA rate, bytes over bandwidth, and a constant per
// call. The rates come from the calibration, else they are typical of the ISA. They only serve to
// choose between algorithms, so a common factor does not matter.
#pragma once

#include <array>
#include <cmath>
#include <span>

#include <tenfold/types.hpp>

#include "base/rates.hpp"
#include "base/traffic.hpp"
#include "gemm/plan/plan.hpp"
#include "transpose/plan/price.hpp"

namespace tenfold::contract_impl {

using base::machine_rates;
using gemm_impl::tensor_sizes;
using transpose_impl::element_sizes;
using transpose_impl::neighbours;

constexpr double real(index_t n) noexcept { return static_cast<double>(n); }

class cost_model {
public:
    /// `products`: the options of matrix products, whose machine must outlive the model.
    cost_model(data_type type, const gemm_impl::gemm_plan_options &products,
               const machine_rates &rates) noexcept;
    cost_model(const cost_model &) = delete;
    cost_model &operator=(const cost_model &) = delete;

    /// One GEMM (GEMV, GER, dot) of the model's type on at most `threads` threads, as GEMM plans
    /// and prices it (gemm/plan/price.cpp); infinite if its workspace does not fit 64 bits. A and B
    /// are of the type `inputs`: the model's, or one that is multiplied to it.
    double gemm_seconds(const gemm_impl::gemm_shape &shape, data_type inputs,
                        const tensor_sizes &whole, int threads) const;
    /// `count` interleaved products of one shape, likewise.
    double interleaved_seconds(const gemm_impl::gemm_shape &shape, index_t count,
                               const tensor_sizes &whole, int threads) const noexcept;

    /// Whole transpositions.
    const transpose_impl::move_prices &transposing() const noexcept { return transposing_; }

    /// Runs of contiguous elements, and how far the next one begins from each; in elements.
    struct runs {
        index_t length = 1, distance = 1;
    };
    /// Moves part of a tensor into the cache or, if `back`, from the cache to its place, with one
    /// of `threads` threads that share the memory bandwidth. Runs are read or written in whole
    /// cache lines, and hardware prefetches none that are far apart.
    double move_seconds(double elements, index_t size, const runs &outside, const neighbours &near,
                        bool back, int threads) const noexcept;

    /// A lower bound for any matrix products of `inputs` with that many multiply-adds together.
    double least_product_seconds(data_type inputs, double multiply_adds,
                                 int threads) const noexcept;

    /// Bytes of one core's L2.
    double cache() const noexcept { return moves_.l2(); }
    double line() const noexcept { return moves_.line(); } ///< bytes
    /// Bytes of L1.
    double first_cache() const noexcept { return real(products_.machine->l1d.size); }
    /// Bytes of L3; 0 if there is none.
    double last_cache() const noexcept { return moves_.l3(); }
    /// Bytes that stay in the caches of so many cores.
    double kept_in_caches(int threads) const noexcept {
        return base::kept_in_caches(*products_.machine, threads);
    }

    /// Whether what begins so many bytes after the last is not prefetched: hardware predicts
    /// strides within a page, once it has seen some.
    bool is_far(double bytes) const noexcept;
    bool is_far(index_t elements) const noexcept {
        return is_far(std::abs(real(elements)) * moves_.element());
    }

    /// An operand of a loop.
    struct looped {
        index_t extent;
        index_t stride;
    };
    /// How much of a cache line is used before it leaves a cache of so many bytes, in elements, if
    /// the innermost loop runs over `inner` and others around it, from the inside out, whose
    /// strides are not 0.
    double used_of_line(double cache, const looped &inner,
                        std::span<const looped> around) const noexcept;

    /// An operand of a vector loop.
    struct vector_stride {
        index_t stride; ///< in the pass
        double used;    ///< used_of_line() of L2
        double used_l1; ///< and of L1
        double apart;   ///< share of the passes that begin pages away from the pass before
        double fresh;   ///< share of the passes over other elements than those of the pass before
        /// Elements of the tensor of which the loops see a tile, which decide where its lines come
        /// from; 0: the loops see all of it.
        double whole = 0;
    };
    /// `count` passes over `n` elements each, of which one call of the kernel makes so many.
    struct vector_passes {
        double count, n;
        double at_once = 1;
    };
    /// A vector loop over A, B and D.
    double vector_loop_seconds(const vector_passes &passes,
                               const std::array<vector_stride, 3> &vectors,
                               int threads) const noexcept;

    /// An element-wise product box by box (products/box_nest.hpp): what all boxes take together.
    struct box_work {
        double whole = 0;         ///< bytes of the tensors
        double read = 0;          ///< bytes of the inputs' lines
        double written = 0;       ///< bytes of D's lines
        bool past_caches = false; ///< how D is written
        double far_runs = 0;      ///< of the inputs that begin far from those before
        double runs = 0;          ///< of D, which are multiplied
        double planes = 0;        ///< which are copied, their elements ..
        double transposed = 0;    ///< .. in squares of registers,
        double moved = 0;         ///< .. as they are adjacent in both,
        double singly = 0;        ///< .. and one after the other
    };
    double boxes_seconds(const box_work &work, int threads) const noexcept;

    const machine_rates &rates() const noexcept { return rates_; }
    double of_register() const noexcept { return register_; } ///< elements
    index_t elements_of_line() const noexcept {
        return static_cast<index_t>(moves_.line() / moves_.element());
    }

private:
    data_type type_;
    machine_rates rates_;
    gemm_impl::gemm_plan_options products_;
    base::traffic moves_;
    transpose_impl::move_prices transposing_;
    double cycle_ = 0;    ///< seconds; 0 for types that are converted first, which have no loops
    double register_ = 1; ///< elements of a vector register
};

} // namespace tenfold::contract_impl
