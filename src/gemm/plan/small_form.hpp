// Finds shapes for the kernels of small products; the decision is made once for many products.
#pragma once

#include <optional>

#include "gemm/plan/plan.hpp"

namespace tenfold::gemm_impl {

/// Arguments of multiply_small and multiply_reduced for a shape.
struct small_form {
    const micro_kernel *kernel;
    bool turned;           ///< computes C^T = B^T A^T: A and B are swapped
    bool copies;           ///< multiplies from copies of A's panels
    small_product product; ///< without pointers
    index_t row_stride_a;
    index_t element_size;

    /// Returns true if multiply_reduced and multiply_small can read A in place.
    bool in_place() const noexcept { return row_stride_a == 1 || product.m == 1; }
    /// Multiplies; the argument is `product` with its pointers set.
    void multiply(const small_product &with_pointers) const noexcept;
};

/// Returns nothing if there is no such kernel, packing pays, the kernels cannot use the strides, or
/// another back end was asked for.
std::optional<small_form> find_small_form(const gemm_shape &shape,
                                          const gemm_plan_options &options);

} // namespace tenfold::gemm_impl
