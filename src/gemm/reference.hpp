// The slow twin: three plain loops.
#pragma once

#include "gemm/plan/shape.hpp"

namespace tenfold::gemm_impl {

/// Computes D = alpha op(A) op(B) + beta D by its definition. D is not read when beta = 0; A and B
/// are not read when alpha = 0.
void reference_gemm(const gemm_shape &shape, scalar alpha, const void *a, const void *b,
                    scalar beta, void *d) noexcept;

} // namespace tenfold::gemm_impl
