// Chooses block sizes so that the packed panels of products fit a workspace limit.
#pragma once

#include <optional>

#include "contract/choose/candidate.hpp"
#include "gemm/plan/blocking.hpp"
#include "gemm/plan/plan.hpp"
#include "gemm/plan/shape.hpp"

namespace tenfold::contract_impl {

struct product_fit {
    std::optional<gemm_impl::blocking> blocks; ///< empty: the sizes that GEMM chooses
    byte_count workspace;
    double slowdown = 1; ///< predicted by GEMM for smaller blocks
};

/// Options for a GEMM plan on `threads` threads.
gemm_impl::gemm_plan_options product_options(const plan_environment &environment, int threads);

/// Finds large blocks whose panels fit `room` bytes. If none fit, returns the smallest useful ones,
/// and `workspace` tells how much they need. Products that pack nothing are left as they are.
/// `inputs` is the type of A and B, `whole` what the product's plan will be told, on which its
/// blocks depend, too.
product_fit fit_product(const gemm_impl::gemm_shape &shape, data_type inputs,
                        const gemm_impl::tensor_sizes &whole, const plan_environment &environment,
                        int threads, byte_count room);

} // namespace tenfold::contract_impl
