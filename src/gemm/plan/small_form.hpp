// Shapes that the kernels of small products take, decided once for many products.
#pragma once

#include <optional>

#include "gemm/plan/plan.hpp"

namespace tenfold::gemm_impl {

/// How to call multiply_small and multiply_reduced for a shape.
struct small_form {
    const micro_kernel *kernel;
    bool turned;           ///< computes C^T = B^T A^T: A and B change places
    bool copies;           ///< multiplies from copies of A's panels
    small_product product; ///< without pointers
    index_t row_stride_a;
    index_t element_size;

    /// multiply_reduced and multiply_small take A where it lies.
    bool in_place() const noexcept { return row_stride_a == 1 || product.m == 1; }
    /// Of the product with its pointers.
    void multiply(const small_product &with_pointers) const noexcept;
};

/// Empty where there is no such kernel, packing pays for itself, the matrices lie awkwardly, or
/// another back end is wanted.
std::optional<small_form> find_small_form(const gemm_shape &shape,
                                          const gemm_plan_options &options);

} // namespace tenfold::gemm_impl
