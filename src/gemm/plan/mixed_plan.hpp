// One mixed product, planned: kernel, orientation, blocking and threads.
#pragma once

#include <string>
#include <string_view>

#include "gemm/epilogue.hpp"
#include "gemm/forms/driver.hpp"
#include "gemm/forms/split_k.hpp"
#include "gemm/kernels/mixed_registry.hpp"
#include "gemm/plan/plan.hpp"

namespace tenfold::gemm_impl {

/// An immutable value; several threads may execute it at the same time. Shapes without reuse use
/// the same five loops as the others.
class mixed_plan {
public:
    /// The shape's type is not read; it is that of D, or f32 if D holds integers. Extents are not
    /// negative.
    mixed_plan(mixed_product product, const gemm_shape &shape, const gemm_plan_options &options);

    /// Returns the bytes of the packed panels of all threads, which must be aligned to 64 bytes.
    byte_count workspace_size() const noexcept { return workspace_; }

    /// Computes D = alpha A B + beta D. Out is float, or uint32_t for integers modulo 2^32.
    /// Workspace and epilogue are as in gemm_plan::execute; integers have no epilogue.
    template <class Out>
    void execute(const product_operands<Out, const void *, Out *> &x) const noexcept;

    /// Computes products that follow one another, as gemm_plan::execute_all does; alpha and
    /// beta of integers are 32-bit integers. No kernel fetches what follows them.
    void execute_all(const product_operands<> &first, const product_series &steps,
                     following next = {}) const noexcept;
    /// Computes D = alpha sum_i A_i B_i + beta D, as gemm_plan::execute_sum does.
    void execute_sum(const product_operands<> &first, product_series steps,
                     following next = {}) const noexcept;

    /// Returns what execution takes, as gemm_plan::predicted_seconds does.
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
    std::string_view kernel_name() const noexcept { return kernel_->name; }
    /// Returns "bf16_gemm_48x8__avx512, MRxNR 48x8, KC 504, MC 240, NC 8192, k in 3 leaves, 1
    /// thread".
    std::string describe() const;

private:
    template <class Out>
    void execute_each(const product_operands<> &first, const product_series &steps) const noexcept;

    const mixed_kernel_info *kernel_;
    gemm_shape given_;
    gemm_form form_ = gemm_form::nothing; ///< also scale, packed, split_k
    orientation way_;
    macro_problem macro_;   ///< of form packed
    leaves_problem leaves_; ///< of form split_k
    int threads_ = 1;
    byte_count workspace_{};
};

} // namespace tenfold::gemm_impl
