// Shapes that the kernels of small products take, decided once for many products.
#pragma once

#include <optional>

#include "gemm/plan.hpp"

namespace tenfold::gemm_impl {

/// How to call multiply_small and multiply_reduced for a shape.
struct small_form {
    const micro_kernel *kernel;
    bool turned;           ///< computes C^T = B^T A^T: A and B change places
    small_product product; ///< without pointers
};

/// Empty where there is no such kernel, packing pays for itself, the matrices lie awkwardly, or
/// another back end is wanted.
std::optional<small_form> find_small_form(const gemm_shape &shape,
                                          const gemm_plan_options &options);

} // namespace tenfold::gemm_impl
