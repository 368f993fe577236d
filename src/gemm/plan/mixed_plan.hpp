// One mixed product, or a sum of such, planned: kernel, orientation, blocking and threads.
#pragma once

#include <string>
#include <string_view>

#include "gemm/epilogue.hpp"
#include "gemm/forms/driver.hpp"
#include "gemm/forms/split_k.hpp"
#include "gemm/kernels/mixed_registry.hpp"
#include "gemm/plan/plan.hpp"

namespace tenfold::gemm_impl {

/// Out is float, or uint32_t for integers modulo 2^32.
template <class Out> using mixed_operands = product_operands<Out, const void *, Out *>;

/// An immutable value; several threads may execute it at the same time. Shapes without reuse use
/// the same five loops as the others.
class mixed_plan {
public:
    /// The shape's type is not read; it is that of D, or f32 if D holds integers. Extents are not
    /// negative.
    mixed_plan(mixed_product product, const gemm_shape &shape, const gemm_plan_options &options);

    /// Returns the bytes of the packed panels of all threads, which must be aligned to 64 bytes.
    byte_count workspace_size() const noexcept { return workspace_; }

    /// Computes D = alpha A B + beta D. Workspace and epilogue are as in gemm_plan::execute.
    template <class Out> void execute(const mixed_operands<Out> &x) const noexcept;

    /// Computes products that follow one another, as gemm_plan::execute_all does; alpha and
    /// beta of integers are 32-bit integers. No kernel fetches what follows them.
    void execute_all(const product_operands<> &first, const product_series &steps,
                     following next = {}) const noexcept;
    /// Computes D = alpha sum_i A_i B_i + beta D: terms_at_once() terms, then the next ones, are
    /// added to D. `x` has neither A nor B; the epilogue is applied once, to the sum.
    template <class Out>
    void execute_sum(const mixed_operands<Out> &x, const product_terms &terms) const noexcept;
    /// The same; alpha and beta of integers are 32-bit integers.
    void execute_sum(const product_operands<> &x, const product_terms &terms) const noexcept;

    /// Returns what execution takes, as gemm_plan::predicted_seconds does; of a sum, on average for
    /// one of its terms.
    double predicted_seconds(const gemm_plan_options &options) const noexcept;

    /// Returns true if the form has blocks.
    bool is_blocked() const noexcept {
        return form_ == gemm_form::packed || form_ == gemm_form::split_k;
    }
    int threads() const noexcept { return threads_; }
    const blocking &blocks() const noexcept {
        return form_ == gemm_form::split_k ? leaves_.leaf.blocks : macro_.blocks;
    }
    /// Returns the number of leaves that k is cut into.
    index_t leaves() const noexcept { return leaves_.leaves; }
    gemm_form form() const noexcept { return form_; }
    /// Returns how many terms of a sum are joined (forms/joined.hpp); 1: none.
    index_t terms_at_once() const noexcept { return terms_; }
    std::string_view kernel_name() const noexcept { return kernel_->name; }
    /// Returns "bf16_gemm_48x8__avx512, MRxNR 48x8, KC 504, MC 240, NC 8192, k in 3 leaves, 1
    /// thread"; "63 terms at once" instead of the leaves if terms are joined.
    std::string describe() const;

private:
    template <class Out>
    void execute_each(const product_operands<> &first, const product_series &steps) const noexcept;
    /// Multiplies and adds up to terms_ terms, whose addresses are overwritten.
    template <class Out> void multiply(mixed_operands<Out> x, const void **a, const void **b,
                                       index_t terms) const noexcept;

    const mixed_kernel_info *kernel_;
    gemm_shape given_;
    gemm_form form_ = gemm_form::nothing; ///< also scale, packed, split_k
    orientation way_;
    macro_problem macro_;   ///< of form packed; of terms_ terms if these are joined
    leaves_problem leaves_; ///< of form split_k
    index_t terms_ = 1;
    int threads_ = 1;
    byte_count workspace_{};
};

} // namespace tenfold::gemm_impl
