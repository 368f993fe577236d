// The short cut of small products: no plan, no packing, no threads.
#pragma once

#include <tenfold/gemm.hpp>

namespace tenfold::gemm_impl {

/// Extents, 1 at least, beyond which packing pays for itself and planning does not count.
constexpr bool is_small(index_t m, index_t n, index_t k) noexcept {
    constexpr index_t longest = 16384;
    return m > 0 && n > 0 && k > 0 && m <= longest && n <= longest && k <= longest &&
           m * n * k <= 96 * 96 * 96;
}

/// C = alpha A B + beta C, if that is a small product of matrices whose strides suit the kernels,
/// and plainly well-formed. False: nothing was done, gemm()'s general way has to look at it. About
/// 10 ns beside the arithmetic.
template <class T> bool multiply_if_small(const matrix_view<const T> &a,
                                          const matrix_view<const T> &b, const matrix_view<T> &c,
                                          const gemm_options &options, const context &ctx);

} // namespace tenfold::gemm_impl
