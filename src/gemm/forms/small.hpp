// The short cut of small products: no plan, no packing, no threads.
#pragma once

#include <tenfold/gemm.hpp>

#include "base/machine.hpp"
#include "gemm/kernels/kernel_abi.hpp"

namespace tenfold::gemm_impl {

inline bool is_complex(const micro_kernel &kernel) noexcept {
    return kernel.multiply_direct == nullptr;
}

/// Products, extents 1 at least, that no machine should pack or deal to threads.
inline bool is_small(const micro_kernel &kernel, index_t m, index_t n, index_t k) noexcept {
    constexpr index_t longest = 16384;
    return m > 0 && n > 0 && k > 0 && m <= longest && n <= longest && k <= longest &&
           m * n * k <= (is_complex(kernel) ? 64 * 64 * 64 : 96 * 96 * 96);
}

/// Larger ones that need no packing either while they fit L2, C's columns contiguous. Real ones
/// only on one thread where results may depend on the number of threads: nothing promises them the
/// bits of packed ones. Complex sums are grouped differently, so that they have to be these for any
/// number of threads, which share C's columns.
bool fits_in_place(const base::machine &machine, const micro_kernel &kernel, index_t m, index_t n,
                   index_t k, index_t element_size) noexcept;

/// Whether A is read from a copy of one panel at a time: its rows are not adjacent, or its columns
/// are so many and so far apart, by a multiple of a large power of two, that they displace each
/// other from L1.
bool copies_a(const base::machine &machine, const micro_kernel &kernel,
              const small_product &product, index_t row_stride_a, index_t element_size) noexcept;

/// False tells that copies_a() is false too, without asking the machine: few columns do not pay for
/// a copy.
inline bool may_copy_a(const micro_kernel &kernel, const small_product &product,
                       index_t row_stride_a) noexcept {
    return (row_stride_a != 1 && product.m > 1) || product.n >= 4 * kernel.nr;
}

/// Whether a panel of A finds room on the stack.
bool can_copy_a(const micro_kernel &kernel, index_t k, index_t element_size) noexcept;

/// multiply_small with A from copies.
void multiply_copied_small(const micro_kernel &kernel, small_product product, index_t row_stride_a,
                           index_t element_size) noexcept;

/// C = alpha A B + beta C, if that is a small product of matrices whose strides suit the kernels,
/// and plainly well-formed. False: nothing was done, gemm()'s general way has to look at it. About
/// 10 ns beside the arithmetic.
template <class T> bool multiply_if_small(const matrix_view<const T> &a,
                                          const matrix_view<const T> &b, const matrix_view<T> &c,
                                          const gemm_options &options, const context &ctx);

} // namespace tenfold::gemm_impl
