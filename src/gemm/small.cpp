#include "gemm/small.hpp"

#include <algorithm>
#include <cstddef>

#include "base/checked.hpp"
#include "base/thread_count.hpp"
#include "gemm/registry.hpp"

namespace tenfold::gemm_impl {
namespace {

/// One past the last element of a matrix whose strides count up.
template <class T> const T *end_of(const matrix_view<T> &x) noexcept {
    return x.data + (x.rows - 1) * x.row_stride + (x.columns - 1) * x.column_stride + 1;
}

template <class T> bool counts_up(const matrix_view<T> &x) noexcept {
    return x.row_stride >= 0 && x.column_stride >= 0;
}

template <class T, class C> bool apart(const matrix_view<T> &x, const matrix_view<C> &c) noexcept {
    return end_of(x) <= c.data || end_of(c) <= x.data;
}

/// C's columns are contiguous and do not overlap, nothing counts down, nothing is shared.
template <class T> bool suits(const matrix_view<const T> &a, const matrix_view<const T> &b,
                              const matrix_view<T> &c) noexcept {
    return (c.row_stride == 1 || c.rows == 1) && (c.column_stride >= c.rows || c.columns == 1) &&
           c.column_stride >= 0 && counts_up(a) && counts_up(b) && apart(a, c) && apart(b, c);
}

constexpr index_t packed_bytes = 32 << 10;

template <class T> inline bool multiply(const micro_kernel &kernel, const matrix_view<const T> &a,
                                        const matrix_view<const T> &b, const matrix_view<T> &c,
                                        const gemm_options &options) {
    if (!suits(a, b, c))
        return false;
    const T alpha = static_cast<T>(options.alpha.real());
    if (alpha == 0) // A and B may hold anything
        return false;
    const T beta = static_cast<T>(options.beta.real());
    const small_product product{c.rows,          c.columns, a.columns,    a.data,
                                a.column_stride, b.data,    b.row_stride, b.column_stride,
                                &alpha,          &beta,     c.data,       c.column_stride};
    if (a.row_stride == 1 || a.rows == 1)
        kernel.multiply_small(&product);
    else if (can_pack_small(kernel, a.rows, a.columns, sizeof(T)))
        multiply_packed_small(kernel, product, a.row_stride, sizeof(T));
    else
        return false;
    return true;
}

} // namespace

bool can_pack_small(const micro_kernel &kernel, index_t m, index_t k,
                    index_t element_size) noexcept {
    return base::round_up(m, kernel.mr) * k * element_size <= packed_bytes;
}

void multiply_packed_small(const micro_kernel &kernel, small_product product, index_t row_stride_a,
                           index_t element_size) noexcept {
    alignas(64) std::byte panels[packed_bytes];
    const panel_source source{product.a, product.m, product.k, row_stride_a, product.a_step, false};
    kernel.pack_a(&source, panels);
    const index_t m = product.m;
    const index_t mr = kernel.mr;
    product.a = panels;
    product.a_step = mr;
    for (index_t row = 0; row < m; row += mr) {
        product.m = std::min(mr, m - row);
        kernel.multiply_small(&product);
        product.a = static_cast<const std::byte *>(product.a) + mr * product.k * element_size;
        product.d = static_cast<std::byte *>(product.d) + mr * element_size;
    }
}

template <class T> bool multiply_if_small(const matrix_view<const T> &a,
                                          const matrix_view<const T> &b, const matrix_view<T> &c,
                                          const gemm_options &options, const context &ctx) {
    const index_t m = c.rows;
    const index_t n = c.columns;
    const index_t k = a.columns;
    const bool small = is_small(m, n, k) && m == a.rows && n == b.columns && k == b.rows;
    if (!small || a.data == nullptr || b.data == nullptr || c.data == nullptr)
        return false;
    if (options.alpha.imag() != 0 || options.beta.imag() != 0 || options.threads < 0 ||
        options.threads > base::most_threads ||
        options.backend.value_or(ctx.settings().backend) != backend::native)
        return false;
    const micro_kernel &kernel = *select(data_type_of<T>, ctx.isa())->kernel;
    if (kernel.multiply_small == nullptr)
        return false;
    // C^T = B^T A^T lies at the same addresses.
    return c.row_stride == 1 || c.rows == 1
               ? multiply(kernel, a, b, c, options)
               : multiply(kernel, b.transposed(), a.transposed(), c.transposed(), options);
}

template bool multiply_if_small(const matrix_view<const float> &, const matrix_view<const float> &,
                                const matrix_view<float> &, const gemm_options &, const context &);
template bool multiply_if_small(const matrix_view<const double> &,
                                const matrix_view<const double> &, const matrix_view<double> &,
                                const gemm_options &, const context &);

} // namespace tenfold::gemm_impl
