// Many products of one shape whose matrices are interleaved: from each product to the next, A, B
// and D lie one element further. Registers hold the same element of neighbouring products.
#pragma once

#include <string>

#include "gemm/kernels/registry.hpp"
#include "gemm/plan/options.hpp"
#include "gemm/plan/shape.hpp"

namespace tenfold::gemm_impl {

/// An immutable value; several threads may execute it at the same time. Needs no workspace.
class interleaved_plan {
public:
    /// `count` products. The type must have kernels. Allocates nothing.
    interleaved_plan(const gemm_shape &each, index_t count,
                     const gemm_plan_options &options) noexcept;

    /// Computes D = alpha op(A) op(B) + beta D of all products, and of a series of such. Pointers
    /// are not checked. Without an epilogue.
    void execute(const product_operands<> &x) const noexcept;
    void execute_all(const product_operands<> &first, const product_series &steps,
                     const following & = {}) const noexcept;

    /// As gemm_plan::execute_sum, of interleaved products.
    void execute_sum(const product_operands<> &first, product_series steps,
                     const following & = {}) const noexcept;

    /// By the machine, rates and `whole` of the options.
    double predicted_seconds(const gemm_plan_options &options) const noexcept;

    byte_count workspace_size() const noexcept { return {}; }
    int threads() const noexcept { return threads_; }
    /// Returns "interleaved: f64_gemm_24x8__avx512, 32 products at a time, 2 threads".
    std::string describe() const;

private:
    gemm_shape each_;
    index_t count_;
    const kernel_info *kernel_;
    bool fetches_;    ///< products that follow, because they are in no L2
    index_t at_once_; ///< products whose matrices stay in a cache
    int threads_;
};

} // namespace tenfold::gemm_impl
