// Products whose packed panels fit a workspace limit.
#pragma once

#include <optional>

#include "contract/choose/candidate.hpp"
#include "gemm/plan/blocking.hpp"
#include "gemm/plan/plan.hpp"
#include "gemm/plan/shape.hpp"

namespace tenfold::contract_impl {

struct product_fit {
    std::optional<gemm_impl::blocking> blocks; ///< empty: those that GEMM chooses
    byte_count workspace;
    double slowdown = 1; ///< by smaller blocks, as GEMM predicts it
};

/// What a contraction asks of GEMM on `threads` threads.
gemm_impl::gemm_plan_options product_options(const plan_environment &environment, int threads);

/// The largest blocks found whose panels fit `room`; the smallest worth having if none do (then
/// `workspace` tells what they take). Products that pack nothing are taken as they are.
product_fit fit_product(const gemm_impl::gemm_shape &shape, const plan_environment &environment,
                        int threads, byte_count room);

} // namespace tenfold::contract_impl
