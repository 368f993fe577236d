// BLIS as a back end.
#pragma once

#include "gemm/plan/shape.hpp"

namespace tenfold::gemm_impl {

/// Returns true if this build has BLIS and BLIS takes this shape: it needs positive strides that
/// nest and aborts on others. Tenfold's own kernels compute all other shapes.
bool blis_accepts(const gemm_shape &shape) noexcept;

/// Calls BLIS through its expert interface with settings for this call; BLIS's global number of
/// threads is neither read nor changed.
void blis_gemm(const gemm_shape &shape, int threads, const product_operands<> &x) noexcept;

} // namespace tenfold::gemm_impl
