// Matrix-vector kernels for real types: they read A once, at memory speed.
#pragma once

#include "gemm/kernels/simd.hpp"

namespace {

template <class T> inline void scale_real(int64_t m, T beta, T *y) {
    if (beta == 0)
        for (int64_t i = 0; i < m; ++i)
            y[i] = 0;
    else if (beta != 1)
        for (int64_t i = 0; i < m; ++i)
            y[i] *= beta;
}

/// y += A(m x C) x, all C columns in one sweep so that y is read and written once for C of them.
template <class T, int C>
inline void add_columns_real(int64_t m, const T *a, int64_t stride, const T *x, T alpha, T *y) {
    constexpr int length = simd<T>::length;
    T s[C];
    for (int c = 0; c < C; ++c)
        s[c] = alpha * x[c];
    int64_t i = 0;
    for (; i + length <= m; i += length) {
        auto sum = load(y + i);
#pragma GCC unroll 8
        for (int c = 0; c < C; ++c)
            sum += load(a + c * stride + i) * s[c];
        store(y + i, sum);
    }
    for (; i < m; ++i) {
        T sum = y[i];
        for (int c = 0; c < C; ++c)
            sum += a[c * stride + i] * s[c];
        y[i] = sum;
    }
}

template <class T> void gemv_columns_real(const matrix_vector *g) {
    constexpr int64_t strip = 1024; // of y, kept in L1 over all columns
    const T alpha = *static_cast<const T *>(g->alpha);
    const T beta = *static_cast<const T *>(g->beta);
    const T *x = static_cast<const T *>(g->x);
    for (int64_t i = 0; i < g->m; i += strip) {
        const int64_t rows = g->m - i < strip ? g->m - i : strip;
        const T *a = static_cast<const T *>(g->a) + i;
        T *y = static_cast<T *>(g->y) + i;
        scale_real(rows, beta, y);
        int64_t p = 0;
        for (; p + 8 <= g->k; p += 8)
            add_columns_real<T, 8>(rows, a + p * g->stride, g->stride, x + p, alpha, y);
        for (; p < g->k; ++p)
            add_columns_real<T, 1>(rows, a + p * g->stride, g->stride, x + p, alpha, y);
    }
}

/// R rows times x, with U accumulators each: R * U chains of additions hide the latency of one.
template <class T, int R, int U>
inline void dot_rows_real(int64_t k, const T *a, int64_t stride, const T *x, T *sums) {
    using wide = typename simd<T>::wide;
    constexpr int length = simd<T>::length;
    wide sum[R][U] = {};
    int64_t p = 0;
    for (; p + U * length <= k; p += U * length)
#pragma GCC unroll 8
        for (int u = 0; u < U; ++u) {
            const wide part = load(x + p + u * length);
#pragma GCC unroll 8
            for (int r = 0; r < R; ++r)
                sum[r][u] += load(a + r * stride + p + u * length) * part;
        }
    for (int r = 0; r < R; ++r) {
#pragma GCC unroll 8
        for (int u = 1; u < U; ++u)
            sum[r][0] += sum[r][u];
        alignas(64) T lanes[length];
        store(lanes, sum[r][0]);
        T total = 0;
        for (int64_t q = p; q < k; ++q)
            total += a[r * stride + q] * x[q];
        for (int half = length / 2; half > 0; half /= 2)
            for (int l = 0; l < half; ++l)
                lanes[l] += lanes[l + half];
        sums[r] = lanes[0] + total;
    }
}

template <class T> void gemv_rows_real(const matrix_vector *g) {
    const T alpha = *static_cast<const T *>(g->alpha);
    const T beta = *static_cast<const T *>(g->beta);
    const T *a = static_cast<const T *>(g->a);
    const T *x = static_cast<const T *>(g->x);
    T *y = static_cast<T *>(g->y);
    for (int64_t i = 0; i < g->m;) {
        T sums[4];
        int rows = 1;
        if (i + 4 <= g->m) {
            rows = 4;
            dot_rows_real<T, 4, 2>(g->k, a + i * g->stride, g->stride, x, sums);
        } else {
            dot_rows_real<T, 1, 8>(g->k, a + i * g->stride, g->stride, x, sums);
        }
        for (int r = 0; r < rows; ++r, ++i)
            y[i] = beta == 0 ? alpha * sums[r] : alpha * sums[r] + beta * y[i];
    }
}

template <class T> void axpby_real(int64_t m, const void *factor_s, const void *from, bool,
                                   const void *factor_beta, void *to) {
    const T s = *static_cast<const T *>(factor_s);
    const T beta = *static_cast<const T *>(factor_beta);
    const T *x = static_cast<const T *>(from);
    T *d = static_cast<T *>(to);
    if (beta == 0)
        for (int64_t i = 0; i < m; ++i)
            d[i] = s * x[i];
    else
        for (int64_t i = 0; i < m; ++i)
            d[i] = s * x[i] + beta * d[i];
}

} // namespace
