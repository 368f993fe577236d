// Which way a product is computed, where there are several.
#pragma once

#include "gemm/kernels/mixed_registry.hpp"
#include "gemm/plan/options.hpp"

namespace tenfold::gemm_impl {

/// Returns how numbers of bf16 are multiplied that may be summed either way: by dot products if the
/// processor has an instruction for them whose rate is higher than that of multiply-adds of f32;
/// otherwise widened, which keeps subnormal numbers. Reproducible products are widened everywhere.
mixed_product choose_bf16(const gemm_plan_options &options) noexcept;

} // namespace tenfold::gemm_impl
