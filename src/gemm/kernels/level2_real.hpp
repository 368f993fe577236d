// Matrix-vector kernels for real types: they read A once, at memory speed.
#pragma once

#include "gemm/kernels/simd.hpp"
#include "simd/shuffle.hpp"

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
/// Each element takes its columns one after the other: how many go together does not show. Fetches
/// the C columns from `later` on, line by line as it reads.
template <class T, int C, bool Fetches> inline void
add_columns_real(int64_t m, const T *a, int64_t stride, const T *x, T alpha, T *y, const T *later) {
    constexpr int length = simd<T>::length;
    constexpr int64_t line = 64 / sizeof(T);
    T s[C];
    for (int c = 0; c < C; ++c)
        s[c] = alpha * x[c];
    int64_t i = 0;
    for (; i + length <= m; i += length) {
        if (Fetches && (length >= line || i % line == 0))
#pragma GCC unroll 8
            for (int c = 0; c < C; ++c)
                __builtin_prefetch(later + c * stride + i, 0, 2);
        auto sum = load(y + i);
#pragma GCC unroll 8
        for (int c = 0; c < C; ++c)
            sum += load(a + c * stride + i) * s[c];
        store(y + i, sum);
    }
    if (i < m) {
        const auto some = first_lanes<T>(m - i);
        auto sum = load_part(y + i, some);
#pragma GCC unroll 8
        for (int c = 0; c < C; ++c)
            sum += load_part(a + c * stride + i, some) * s[c];
        store_part(y + i, some, sum);
    }
}

/// Adds `Most` columns in a sweep, and fewer in the last ones.
template <class T, int Most, bool Fetches> inline void sweep_columns_real(const matrix_vector *g) {
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
        const auto add = [&]<int C>() {
            const int64_t later = p + Most < g->k ? p + Most : p;
            add_columns_real<T, C, Fetches>(rows, a + p * g->stride, g->stride, x + p, alpha, y,
                                            a + later * g->stride);
            p += C;
        };
        while (p + Most <= g->k)
            add.template operator()<Most>();
        if constexpr (Most == 8) {
            if (g->k & 4)
                add.template operator()<4>();
            if (g->k & 2)
                add.template operator()<2>();
            if (g->k & 1)
                add.template operator()<1>();
        }
    }
}

template <class T> void gemv_columns_real(const matrix_vector *g) {
    switch (g->order) {
    case sweep::side_by_side:
        return sweep_columns_real<T, 8, false>(g);
    case sweep::fetched:
        return sweep_columns_real<T, 8, true>(g);
    case sweep::in_turn:
        return sweep_columns_real<T, 1, false>(g);
    }
}

/// R rows times x, with U accumulators each: R * U chains of additions hide the latency of one.
/// R is a power of two, at most a register's length. In turn, each row is read to its end before
/// the next one; then the chains of several rows overlap all the same.
template <class T, int R, int U, bool InTurn = false>
inline void dot_rows_real(int64_t k, const T *const *rows, const T *x, T *sums) {
    using wide = typename simd<T>::wide;
    using ops = block_ops<T, simd<T>::length>;
    constexpr int length = simd<T>::length;
    const T *row[R];
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r)
        row[r] = rows[r];
    wide sum[R][U] = {};
    int64_t p = 0;
    if constexpr (InTurn) {
#pragma GCC unroll 8
        for (int r = 0; r < R; ++r)
            for (p = 0; p + U * length <= k; p += U * length)
#pragma GCC unroll 8
                for (int u = 0; u < U; ++u)
                    sum[r][u] += load(row[r] + p + u * length) * load(x + p + u * length);
    }
    for (; p + U * length <= k; p += U * length)
#pragma GCC unroll 8
        for (int u = 0; u < U; ++u) {
            const wide part = load(x + p + u * length);
#pragma GCC unroll 8
            for (int r = 0; r < R; ++r)
                sum[r][u] += load(row[r] + p + u * length) * part;
        }
    for (; p < k; p += length) {
        const auto some = first_lanes<T>(k - p < length ? k - p : length);
        const wide part = load_part(x + p, some);
#pragma GCC unroll 8
        for (int r = 0; r < R; ++r)
            sum[r][0] += load_part(row[r] + p, some) * part;
    }
    wide total[R];
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
        total[r] = sum[r][0];
#pragma GCC unroll 8
        for (int u = 1; u < U; ++u)
            total[r] += sum[r][u];
    }
    // Half the registers each time, of twice as many rows: at last lane l belongs to row l % R.
#pragma GCC unroll 4
    for (int half = R / 2; half > 0; half /= 2)
#pragma GCC unroll 8
        for (int r = 0; r < half; ++r)
            total[r] =
                ops::zip_low(total[r], total[r + half]) + ops::zip_high(total[r], total[r + half]);
    alignas(64) T lanes[length];
    store(lanes, total[0]);
#pragma GCC unroll 4
    for (int half = length / 2; half >= R; half /= 2)
        for (int l = 0; l < half; ++l)
            lanes[l] += lanes[l + half];
    for (int r = 0; r < R; ++r)
        sums[r] = lanes[r];
}

/// Rows of Whole registers and a part of one times x, as many rows at a time as a register has
/// elements: their sums end up in one. Leaves out the last rows if they are fewer, and returns how
/// many it has computed.
template <class T, int Whole> inline int64_t dot_short_rows_real(const matrix_vector *g) {
    using wide = typename simd<T>::wide;
    constexpr int length = simd<T>::length;
    constexpr int64_t line = 64 / sizeof(T);
    constexpr int64_t lines_ahead = 16;
    const T alpha = *static_cast<const T *>(g->alpha);
    const T beta = *static_cast<const T *>(g->beta);
    const T *row = static_cast<const T *>(g->a);
    const T *next = static_cast<const T *>(g->next_a);
    const T *from = static_cast<const T *>(g->x);
    T *y = static_cast<T *>(g->y);
    const int64_t m = g->m, k = g->k, stride = g->stride;
    const bool fills_last = k == (Whole + 1) * length;
    const auto rest = first_lanes<T>(k - Whole * length);
    const auto load_last = [&](const T *begin) {
        return fills_last ? load(begin + Whole * length) : load_part(begin + Whole * length, rest);
    };
    wide x[Whole + 1];
#pragma GCC unroll 4
    for (int p = 0; p < Whole; ++p)
        x[p] = load(from + p * length);
    x[Whole] = load_last(from);
    int64_t i = 0;
    for (; i + length <= m; i += length, row += length * stride) {
        if (next != nullptr)
            for (int r = 0; r < length; ++r)
                for (int64_t p = 0; p < k; p += line)
                    __builtin_prefetch(next + (i + r) * stride + p);
        else if (Whole == 0) // masked loads alone start no prefetch: 3 times as long on Zen 4
            for (int64_t p = 0; p < length * stride; p += line)
                __builtin_prefetch(row + lines_ahead * line + p);
        wide sum[length];
#pragma GCC unroll 16
        for (int r = 0; r < length; ++r) {
            sum[r] = load_last(row + r * stride) * x[Whole];
#pragma GCC unroll 4
            for (int p = 0; p < Whole; ++p)
                sum[r] += load(row + r * stride + p * length) * x[p];
        }
        const wide sums = block_ops<T, length>::sums_of(sum) * alpha;
        store(y + i, beta == 0 ? sums : sums + load(y + i) * beta);
    }
    return i;
}

/// The same for rows of at most short_row registers; computes none of longer ones.
template <class T> inline int64_t dot_if_short_rows_real(const matrix_vector *g) {
    static_assert(tenfold::gemm_impl::short_row == 4);
    switch ((g->k - 1) / simd<T>::length) {
    case 0:
        return dot_short_rows_real<T, 0>(g);
    case 1:
        return dot_short_rows_real<T, 1>(g);
    case 2:
        return dot_short_rows_real<T, 2>(g);
    case 3:
        return dot_short_rows_real<T, 3>(g);
    default:
        return 0;
    }
}

template <class T> void gemv_rows_real(const matrix_vector *g) {
    constexpr int together = simd<T>::length < 8 ? simd<T>::length : 8;
    constexpr int64_t line = 64 / sizeof(T);
    const T alpha = *static_cast<const T *>(g->alpha);
    const T beta = *static_cast<const T *>(g->beta);
    const T *a = static_cast<const T *>(g->a);
    const T *x = static_cast<const T *>(g->x);
    T *y = static_cast<T *>(g->y);
    if (g->lone) {
        T sum;
        dot_rows_real<T, 1, 8>(g->k, &a, x, &sum);
        y[0] = beta == 0 ? alpha * sum : axpby(alpha, sum, beta, y[0]);
        return;
    }
    for (int64_t i = dot_if_short_rows_real<T>(g); i < g->m; i += together) {
        const int64_t count = g->m - i < together ? g->m - i : together;
        const T *rows[together]; // past the last one it comes again
        for (int64_t r = 0; r < together; ++r)
            rows[r] = a + (i + (r < count ? r : count - 1)) * g->stride;
        if (g->next_a != nullptr)
            for (int64_t r = 0; r < count; ++r)
                for (int64_t p = 0; p < g->k; p += line)
                    __builtin_prefetch(static_cast<const T *>(g->next_a) + (i + r) * g->stride + p);
        T sums[together];
        if (g->order == sweep::in_turn)
            dot_rows_real<T, together, 8 / together, true>(g->k, rows, x, sums);
        else
            dot_rows_real<T, together, 8 / together>(g->k, rows, x, sums);
        for (int64_t r = 0; r < count; ++r)
            y[i + r] = beta == 0 ? alpha * sums[r] : axpby(alpha, sums[r], beta, y[i + r]);
    }
}

template <class T> void axpby_real(int64_t m, const void *factor_s, const void *from, bool,
                                   const void *factor_beta, void *to, bool streams) {
    constexpr int length = simd<T>::length;
    const T s = *static_cast<const T *>(factor_s);
    const T beta = *static_cast<const T *>(factor_beta);
    const T *x = static_cast<const T *>(from);
    T *d = static_cast<T *>(to);
    if (beta != 0) {
        for (int64_t i = 0; i < m; ++i)
            d[i] = s * x[i] + beta * d[i];
        return;
    }
    int64_t i = 0;
    if (streams) {
        constexpr int64_t in_line = 64 / sizeof(T);
        const int64_t begun = static_cast<int64_t>(reinterpret_cast<uintptr_t>(d) / sizeof(T));
        const int64_t head = -begun & (in_line - 1);
        for (; i < head && i < m; ++i)
            d[i] = s * x[i];
        for (; i + in_line <= m; i += in_line)
#pragma GCC unroll 8
            for (int64_t l = 0; l < in_line; l += length)
                stream(d + i + l, load(x + i + l) * s);
    }
    for (; i < m; ++i)
        d[i] = s * x[i];
}

/// A register holds the end of a column and the beginning of the next one, or a part of one.
template <class T> void stream_columns_real(const adjoining_columns *g) {
    constexpr int length = simd<T>::length;
    constexpr int64_t in_line = 64 / sizeof(T);
    static_assert(in_line % length == 0);
    const T alpha = *static_cast<const T *>(g->alpha);
    const T *const x = static_cast<const T *>(g->x);
    const T *b = static_cast<const T *>(g->b);
    T *d = static_cast<T *>(g->d);
    T *const end = d + g->m * g->n;
    int64_t row = 0, left = g->n; // of d, columns from b on
    const auto one_by_one = [&](const T *until) {
        for (; d < until; ++d) {
            *d = x[row] * (alpha * *b);
            if (++row == g->m) {
                row = 0;
                b += g->stride;
                --left;
            }
        }
    };
    const int64_t begun = static_cast<int64_t>(reinterpret_cast<uintptr_t>(d) / sizeof(T));
    const int64_t head = -begun & (in_line - 1);
    one_by_one(head < end - d ? d + head : end);
    typename simd<T>::wide lanes;
    for (int i = 0; i < length; ++i)
        lanes[i] = static_cast<T>(i);
    for (T *const last = d + (end - d) / in_line * in_line; d < last; d += length) {
        const typename simd<T>::wide rows = load(x + row);
        const T next = left > 1 ? b[g->stride] : *b;
        stream(d, lanes < static_cast<T>(g->m - row) ? rows * (alpha * *b) : rows * (alpha * next));
        row += length;
        if (row >= g->m) {
            row -= g->m;
            b += g->stride;
            --left;
        }
    }
    one_by_one(end);
}

/// Stores whole registers: what a column's last one writes past its end, the next column
/// overwrites.
template <class T> void fill_columns_real(const adjoining_columns *g) {
    if (g->streams)
        return stream_columns_real<T>(g);
    constexpr int length = simd<T>::length;
    const T alpha = *static_cast<const T *>(g->alpha);
    const T *x = static_cast<const T *>(g->x);
    const T *b = static_cast<const T *>(g->b);
    T *d = static_cast<T *>(g->d);
    for (int64_t j = 0; j < g->n; ++j, b += g->stride, d += g->m) {
        const T s = alpha * *b;
        for (int64_t i = 0; i < g->m; i += length)
            store(d + i, load(x + i) * s);
    }
}

} // namespace
