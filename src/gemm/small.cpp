#include "gemm/small.hpp"

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

/// What the kernel is written for: A's and C's columns are contiguous, C's do not overlap.
template <class T> bool suits(const matrix_view<const T> &a, const matrix_view<const T> &b,
                              const matrix_view<T> &c) noexcept {
    return (a.row_stride == 1 || a.rows == 1) && (c.row_stride == 1 || c.rows == 1) &&
           (c.column_stride >= c.rows || c.columns == 1) && a.column_stride >= 0 && counts_up(b) &&
           c.column_stride >= 0;
}

template <class T> inline bool multiply(const micro_kernel &kernel, const matrix_view<const T> &a,
                                        const matrix_view<const T> &b, const matrix_view<T> &c,
                                        const gemm_options &options) {
    if (!apart(a, c) || !apart(b, c))
        return false;
    const T alpha = static_cast<T>(options.alpha.real());
    const T beta = static_cast<T>(options.beta.real());
    const small_product product{c.rows,          c.columns, a.columns,    a.data,
                                a.column_stride, b.data,    b.row_stride, b.column_stride,
                                &alpha,          &beta,     c.data,       c.column_stride};
    kernel.multiply_small(&product);
    return true;
}

} // namespace

template <class T> bool multiply_if_small(const matrix_view<const T> &a,
                                          const matrix_view<const T> &b, const matrix_view<T> &c,
                                          const gemm_options &options, const context &ctx) {
    const index_t m = c.rows;
    const index_t n = c.columns;
    const index_t k = a.columns;
    const bool small = is_small(m, n, k) && m == a.rows && n == b.columns && k == b.rows;
    if (!small || a.data == nullptr || b.data == nullptr || c.data == nullptr)
        return false;
    if (options.alpha == scalar{} || options.alpha.imag() != 0 || options.beta.imag() != 0 ||
        options.threads < 0 || options.backend.value_or(ctx.settings().backend) != backend::native)
        return false;
    const micro_kernel &kernel = *select(data_type_of<T>, ctx.isa())->kernel;
    if (kernel.multiply_small == nullptr)
        return false;
    if (suits(a, b, c))
        return multiply(kernel, a, b, c, options);
    // C^T = B^T A^T lies at the same addresses.
    const auto at = a.transposed();
    const auto bt = b.transposed();
    const auto ct = c.transposed();
    return suits(bt, at, ct) && multiply(kernel, bt, at, ct, options);
}

template bool multiply_if_small(const matrix_view<const float> &, const matrix_view<const float> &,
                                const matrix_view<float> &, const gemm_options &, const context &);
template bool multiply_if_small(const matrix_view<const double> &,
                                const matrix_view<const double> &, const matrix_view<double> &,
                                const gemm_options &, const context &);

} // namespace tenfold::gemm_impl
