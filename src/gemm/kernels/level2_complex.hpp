// Matrix-vector kernels for complex types. Products of interleaved numbers are accumulated in two
// registers, (a_re x_re, a_im x_re) and (a_re x_im, a_im x_im), which become a complex sum once, at
// the end: no lane is shuffled while A streams by.
#pragma once

#include "gemm/kernels/simd.hpp"

namespace {

template <class T> inline void scale_complex(int64_t m, factor<T> beta, T *y) {
    if (beta.zero()) {
        for (int64_t i = 0; i < 2 * m; ++i)
            y[i] = 0;
    } else if (beta.real()) {
        for (int64_t i = 0; i < 2 * m; ++i)
            y[i] *= beta.re;
    } else {
        for (int64_t i = 0; i < 2 * m; i += 2) {
            const T re = y[i];
            const T im = y[i + 1];
            y[i] = beta.re * re - beta.im * im;
            y[i + 1] = beta.re * im + beta.im * re;
        }
    }
}

/// y += op(A)(m x C) x over a strip of numbers; sign = -1 conjugates A. Fetches the C columns from
/// `later` on, line by line as it reads.
template <class T, int C, bool Fetches>
inline void add_columns_complex(int64_t m, const T *a, int64_t stride, const T *x, factor<T> alpha,
                                T sign, T *y, const T *later) {
    constexpr int length = simd<T>::length;
    constexpr int64_t line = 64 / sizeof(T);
    T re[C];
    T im[C];
    for (int c = 0; c < C; ++c) {
        re[c] = alpha.re * x[2 * c] - alpha.im * x[2 * c + 1];
        im[c] = alpha.re * x[2 * c + 1] + alpha.im * x[2 * c];
    }
    int64_t i = 0;
    for (; i + length <= 2 * m; i += length) {
        if (Fetches && (length >= line || i % line == 0))
#pragma GCC unroll 8
            for (int c = 0; c < C; ++c)
                __builtin_prefetch(later + 2 * c * stride + i, 0, 2);
        typename simd<T>::wide by_re = {};
        typename simd<T>::wide by_im = {};
#pragma GCC unroll 8
        for (int c = 0; c < C; ++c) {
            const auto column = load(a + 2 * c * stride + i);
            by_re += column * re[c];
            by_im += column * im[c];
        }
        alignas(64) T u[length];
        alignas(64) T v[length];
        store(u, by_re);
        store(v, by_im);
        for (int l = 0; l < length; l += 2) {
            y[i + l] += u[l] - sign * v[l + 1];
            y[i + l + 1] += sign * u[l + 1] + v[l];
        }
    }
    for (; i < 2 * m; i += 2) {
        T sum_re = 0;
        T sum_im = 0;
        for (int c = 0; c < C; ++c) {
            const T *number = a + 2 * c * stride + i;
            sum_re += number[0] * re[c] - sign * number[1] * im[c];
            sum_im += sign * number[1] * re[c] + number[0] * im[c];
        }
        y[i] += sum_re;
        y[i + 1] += sum_im;
    }
}

template <class T, bool Fetches> inline void sweep_columns_complex(const matrix_vector *g) {
    constexpr int64_t strip = 512;
    const factor<T> alpha(g->alpha);
    const factor<T> beta(g->beta);
    const T sign = g->conj_a ? T(-1) : T(1);
    const T *x = static_cast<const T *>(g->x);
    for (int64_t i = 0; i < g->m; i += strip) {
        const int64_t rows = g->m - i < strip ? g->m - i : strip;
        const T *a = static_cast<const T *>(g->a) + 2 * i;
        T *y = static_cast<T *>(g->y) + 2 * i;
        scale_complex(rows, beta, y);
        int64_t p = 0;
        const auto add = [&]<int C>() {
            const int64_t later = p + 8 < g->k ? p + 8 : p;
            add_columns_complex<T, C, Fetches>(rows, a + 2 * p * g->stride, g->stride, x + 2 * p,
                                               alpha, sign, y, a + 2 * later * g->stride);
            p += C;
        };
        while (p + 8 <= g->k)
            add.template operator()<8>();
        while (p < g->k)
            add.template operator()<1>();
    }
}

/// Never takes columns in turn: each sweep ends with an exchange of lanes, which is worth eight.
template <class T> void gemv_columns_complex(const matrix_vector *g) {
    g->order == sweep::side_by_side ? sweep_columns_complex<T, false>(g)
                                    : sweep_columns_complex<T, true>(g);
}

/// One row times x: straight = a * x lane by lane, crossed = a * (x with re and im exchanged).
template <class T, int U>
inline void dot_row_complex(int64_t k, const T *a, const T *x, T sign, T &re, T &im) {
    using wide = typename simd<T>::wide;
    constexpr int length = simd<T>::length;
    wide straight[U] = {};
    wide crossed[U] = {};
    int64_t p = 0;
    for (; p + U * length <= 2 * k; p += U * length)
#pragma GCC unroll 8
        for (int u = 0; u < U; ++u) {
            const wide row = load(a + p + u * length);
            const wide vector = load(x + p + u * length);
            wide exchanged;
            for (int l = 0; l < length; l += 2) {
                exchanged[l] = vector[l + 1];
                exchanged[l + 1] = vector[l];
            }
            straight[u] += row * vector;
            crossed[u] += row * exchanged;
        }
#pragma GCC unroll 8
    for (int u = 1; u < U; ++u) {
        straight[0] += straight[u];
        crossed[0] += crossed[u];
    }
    alignas(64) T s[length];
    alignas(64) T c[length];
    store(s, straight[0]);
    store(c, crossed[0]);
    re = 0;
    im = 0;
    for (int l = 0; l < length; l += 2) {
        re += s[l] - sign * s[l + 1];
        im += c[l] + sign * c[l + 1];
    }
    for (; p < 2 * k; p += 2) {
        re += a[p] * x[p] - sign * a[p + 1] * x[p + 1];
        im += a[p] * x[p + 1] + sign * a[p + 1] * x[p];
    }
}

template <class T> void gemv_rows_complex(const matrix_vector *g) {
    const factor<T> alpha(g->alpha);
    const factor<T> beta(g->beta);
    const T sign = g->conj_a ? T(-1) : T(1);
    T *y = static_cast<T *>(g->y);
    for (int64_t i = 0; i < g->m; ++i, y += 2) {
        T re = 0;
        T im = 0;
        dot_row_complex<T, 4>(g->k, static_cast<const T *>(g->a) + 2 * i * g->stride,
                              static_cast<const T *>(g->x), sign, re, im);
        scale_complex(1, beta, y);
        y[0] += alpha.re * re - alpha.im * im;
        y[1] += alpha.re * im + alpha.im * re;
    }
}

template <class T> void axpby_complex(int64_t m, const void *factor_s, const void *from, bool conj,
                                      const void *factor_beta, void *to, bool) {
    const factor<T> s(factor_s);
    const factor<T> beta(factor_beta);
    const T sign = conj ? T(-1) : T(1);
    const T *x = static_cast<const T *>(from);
    T *d = static_cast<T *>(to);
    if (beta.zero())
        for (int64_t i = 0; i < 2 * m; i += 2) {
            d[i] = s.re * x[i] - s.im * sign * x[i + 1];
            d[i + 1] = s.im * x[i] + s.re * sign * x[i + 1];
        }
    else
        for (int64_t i = 0; i < 2 * m; i += 2) {
            const T re = d[i];
            const T im = d[i + 1];
            d[i] = s.re * x[i] - s.im * sign * x[i + 1] + beta.re * re - beta.im * im;
            d[i + 1] = s.im * x[i] + s.re * sign * x[i + 1] + beta.re * im + beta.im * re;
        }
}

} // namespace
