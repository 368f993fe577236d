// One planned matrix multiplication. The plan (form, kernel, blocking and threads) depends on the
// shape, not on the data, and can be executed any number of times.
#pragma once

#include <string>
#include <string_view>

#include "gemm/forms/degenerate.hpp"
#include "gemm/forms/driver.hpp"
#include "gemm/forms/small.hpp"
#include "gemm/forms/split_k.hpp"
#include "gemm/forms/streamed.hpp"
#include "gemm/kernels/registry.hpp"
#include "gemm/plan/choose.hpp"
#include "gemm/plan/cycles.hpp"
#include "gemm/plan/options.hpp"

namespace tenfold::gemm_impl {

/// A lower bound for the seconds of any products of `inputs` with that many multiply-adds together,
/// on `threads` threads.
double least_seconds(data_type inputs, double multiply_adds, int threads,
                     const base::machine_rates &rates) noexcept;

/// Seconds in which bandwidths let a product's matrices be moved; and `far`: those beyond, for
/// matrices that begin far from those of the product before.
struct matrix_seconds {
    double a, b, d, far;
};

/// An immutable value; several threads may execute it at the same time.
class gemm_plan {
public:
    /// Throws errc::unsupported for types without kernels and for a back end that is not in this
    /// build, errc::invalid_argument for negative extents, errc::overflow if the size of the
    /// workspace overflows. O(threads), allocates nothing.
    gemm_plan(const gemm_shape &shape, const gemm_plan_options &options);

    /// Returns the bytes of the packed panels of all threads, which must be aligned to 64 bytes.
    byte_count workspace_size() const noexcept { return workspace_; }

    /// Computes D = alpha op(A) op(B) + beta D. Pointers are not checked. The workspace has
    /// workspace_size() bytes (null if 0) and belongs to this call until it returns. The epilogue,
    /// if given, fits the shape and is applied after everything else. `next` is the product that
    /// follows in a series.
    void execute(const product_operands<> &x, following next = {}) const noexcept;

    /// Computes products that follow one another, of which `first` is the first, in order. All of
    /// them use its workspace. `next` follows the last one.
    void execute_all(const product_operands<> &first, const product_series &steps,
                     following next = {}) const noexcept;

    /// Computes D = alpha sum_i op(A_i) op(B_i) + beta D for products that follow one another; the
    /// steps of D do not count, and there is no epilogue.
    void execute_sum(const product_operands<> &first, product_series steps,
                     following next = {}) const noexcept;

    /// Returns what execution takes by the machine, rates and `whole` of the options, which are
    /// those that the plan was made with (price.cpp): computing, with whole micro-tiles and the
    /// start and end of each; packing; and A, B and D from where they lie. O(threads), allocates
    /// nothing.
    double predicted_seconds(const gemm_plan_options &options) const noexcept;

    gemm_form form() const noexcept { return form_; }
    int threads() const noexcept { return threads_; }
    /// Returns true if the form has blocks.
    bool is_blocked() const noexcept {
        return form_ == gemm_form::packed || form_ == gemm_form::split_k;
    }
    /// Returns the number of leaves that k is cut into.
    index_t leaves() const noexcept { return form_ == gemm_form::split_k ? split_k_.leaves : 1; }
    /// For forms that have them.
    const blocking &blocks() const noexcept { return loops().blocks; }
    /// Returns "f64_gemm_24x8__avx512"; "blis" with that back end; empty for shapes that need no
    /// kernel.
    std::string_view kernel_name() const noexcept;

    /// Returns "packed: f64_gemm_24x8__avx512, MRxNR 24x8, KC 170, MC 480, NC 4080, 2 threads as 2
    /// x 1".
    std::string describe() const;

private:
    void prepare(index_t leaves, const gemm_plan_options &options);
    void execute_turned(const product_operands<> &x, following next) const noexcept;
    void execute_loops(const product_operands<> &x, following next) const noexcept;
    /// `sums`: the products of the series are added up in the first one's D.
    void execute_given_small(product_operands<> first, product_series steps, following next,
                             bool sums) const noexcept;
    void execute_small(const product_operands<> &first, const product_series &steps, following next,
                       bool sums) const noexcept;
    const macro_problem &loops() const noexcept {
        return form_ == gemm_form::split_k ? split_k_.leaf : macro_;
    }
    /// Whether D is written past the caches if beta is 0.
    bool bypasses_caches() const noexcept;
    /// Seconds of the busiest thread's multiplications, with data in L1. `adds`: D is not new.
    double computing_seconds(const base::machine_rates &rates, bool adds) const noexcept;
    /// Seconds of a small product whose matrices take so long to be moved (small_price.cpp).
    double small_product_seconds(const gemm_plan_options &options, const tensor_sizes &whole,
                                 const matrix_seconds &each) const noexcept;
    /// Seconds of a small product's multiplications, with data in L2.
    double small_seconds(const base::machine &machine, const base::machine_rates &rates,
                         bool in_series, bool adds) const noexcept;
    /// Cycles of the copies of A's panels.
    double small_copy_cycles() const noexcept;
    /// Seconds in which a small product's tiles read again what L1 does not keep; 0 if it keeps
    /// all.
    double small_rereading_seconds(const base::machine &machine, const base::machine_rates &rates,
                                   index_t row_tiles, index_t column_tiles) const noexcept;
    /// Seconds of dot, matrix-vector and outer products beside their traffic (vector_price.cpp).
    double vector_seconds(const base::machine &machine, const base::machine_rates &rates,
                          const tensor_sizes &whole) const noexcept;

    gemm_shape given_;        ///< as the caller sees it
    gemm_shape shape_;        ///< as it is computed
    bool transposed_ = false; ///< shape_ computes D^T: A and B are swapped
    index_t offset_a_ = 0;    ///< elements, from reversing rows of negative stride
    index_t offset_d_ = 0;
    gemm_form form_ = gemm_form::nothing;
    int threads_ = 1;
    const kernel_info *kernel_ = nullptr;
    small_form small_{};        ///< of form small
    gemv_problem gemv_;         ///< of forms dot and gemv
    outer_problem outer_;       ///< of form outer
    macro_problem macro_;       ///< of form packed
    streamed_problem streamed_; ///< of form streamed
    split_k_problem split_k_;   ///< of form split_k
    byte_count workspace_{};
};

} // namespace tenfold::gemm_impl
