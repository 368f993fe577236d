// BLIS as a back end.
#pragma once

#include "gemm/plan/shape.hpp"

namespace tenfold::gemm_impl {

/// True if BLIS takes this shape: positive strides that nest (it aborts on others), and a build
/// with BLIS. Tenfold's own kernels compute what it does not take.
bool blis_accepts(const gemm_shape &shape) noexcept;

/// Through the expert interface with run-time settings of this call's own: BLIS's global number of
/// threads is neither read nor changed.
void blis_gemm(const gemm_shape &shape, int threads, scalar alpha, const void *a, const void *b,
               scalar beta, void *d) noexcept;

} // namespace tenfold::gemm_impl
