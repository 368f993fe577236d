// The short cut of small products: no plan, no packing, no threads.
#pragma once

#include <tenfold/gemm.hpp>

#include "gemm/kernel_abi.hpp"

namespace tenfold::gemm_impl {

/// Extents, 1 at least, beyond which packing pays for itself and planning does not count.
constexpr bool is_small(index_t m, index_t n, index_t k) noexcept {
    constexpr index_t longest = 16384;
    return m > 0 && n > 0 && k > 0 && m <= longest && n <= longest && k <= longest &&
           m * n * k <= 96 * 96 * 96;
}

/// Whether A's panels find room on the stack.
bool can_pack_small(const micro_kernel &kernel, index_t m, index_t k,
                    index_t element_size) noexcept;

/// multiply_small where A's rows are not adjacent: panel by panel, from a copy.
void multiply_packed_small(const micro_kernel &kernel, small_product product, index_t row_stride_a,
                           index_t element_size) noexcept;

/// C = alpha A B + beta C, if that is a small product of matrices whose strides suit the kernels,
/// and plainly well-formed. False: nothing was done, gemm()'s general way has to look at it. About
/// 10 ns beside the arithmetic.
template <class T> bool multiply_if_small(const matrix_view<const T> &a,
                                          const matrix_view<const T> &b, const matrix_view<T> &c,
                                          const gemm_options &options, const context &ctx);

} // namespace tenfold::gemm_impl
