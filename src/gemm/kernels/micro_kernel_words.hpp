// The micro-kernel over words: like the real one, MV registers by N columns of accumulators, but a
// step multiplies words, which hold one, two or four numbers each. How, a Unit says:
//
//     using number                     an element of D: float, or word for integers modulo 2^32
//     static constexpr bool corrected  whether sums start with the word past B's last step
//     wide dot(sum, a, b)              sum + a . b in every lane
#pragma once

#include "gemm/kernels/micro_kernel_real.hpp"
#include "gemm/kernels/words.hpp"

namespace {

/// d = tile + beta d where D's rows are strided or the tile is cut; `tile` is alpha A B, column
/// after column, `height` apart.
template <class T>
[[gnu::noinline]] void update_words(const micro_tile &t, const T *tile, int64_t height) {
    const T beta = *static_cast<const T *>(t.beta);
    for (int64_t j = 0; j < t.n; ++j, tile += height) {
        T *d = static_cast<T *>(t.d) + j * t.column_stride;
        if (beta == 0)
            for (int64_t i = 0; i < t.m; ++i)
                d[i * t.row_stride] = tile[i];
        else
            for (int64_t i = 0; i < t.m; ++i)
                d[i * t.row_stride] = tile[i] + beta * d[i * t.row_stride];
    }
}

template <class Unit, int group, int MR, int NR, int MV, int N>
[[gnu::noinline]] void tile_words(const micro_tile &t) {
    using T = typename Unit::number;
    using wide = typename simd<T>::wide;
    using wide_words = simd<word>::wide;
    constexpr int length = simd<word>::length;
    const word *a = static_cast<const word *>(t.a);
    const word *b = static_cast<const word *>(t.b);
    T *d = static_cast<T *>(t.d);
    const bool whole = t.row_stride == 1 && t.m == MV * length;
    const int64_t steps = (t.k + group - 1) / group;
    // Integers have no stores of parts of registers, nor past the cache.
    constexpr bool real = T(0.5F) != 0;
    const bool streams = real && t.streams && whole && lies_on_registers(d, t.column_stride);

    // D is used once, after all steps: time enough for it to arrive from memory.
    if (t.row_stride == 1 && !streams) {
#pragma GCC unroll 16
        for (int j = 0; j < N; ++j)
#pragma GCC unroll 8
            for (int v = 0; v < MV; ++v)
                __builtin_prefetch(d + j * t.column_stride + v * length, 1);
    }

    wide sum[N][MV] = {};
    if constexpr (Unit::corrected) {
#pragma GCC unroll 16
        for (int j = 0; j < N; ++j)
#pragma GCC unroll 8
            for (int v = 0; v < MV; ++v)
                sum[j][v] += b[steps * NR + j];
    }
    for (int64_t p = steps; p > 0; --p) {
        wide_words column[MV];
#pragma GCC unroll 8
        for (int v = 0; v < MV; ++v)
            column[v] = load(a + v * length);
#pragma GCC unroll 16
        for (int j = 0; j < N; ++j) {
            const wide_words row = wide_words{} + b[j];
#pragma GCC unroll 8
            for (int v = 0; v < MV; ++v)
                sum[j][v] = Unit::dot(sum[j][v], column[v], row);
        }
        a += MR;
        b += NR;
    }

    const T alpha = *static_cast<const T *>(t.alpha);
    const T beta = *static_cast<const T *>(t.beta);
    if constexpr (real) {
        if (whole)
            return update_whole<T, MV, N>(d, t.column_stride, sum, alpha, beta, streams);
        if (t.row_stride == 1) {
            const auto some = first_lanes<T>(t.m - (MV - 1) * length);
#pragma GCC unroll 16
            for (int j = 0; j < N; ++j)
                update_column<T, MV>(d + j * t.column_stride, sum[j], alpha, beta, some);
            return;
        }
    }
    if (!whole) {
        alignas(64) T tile[N * MV * length];
#pragma GCC unroll 16
        for (int j = 0; j < N; ++j)
#pragma GCC unroll 8
            for (int v = 0; v < MV; ++v)
                store(tile + (j * MV + v) * length, alpha * sum[j][v]);
        return update_words(t, tile, MV * length);
    }
    if (beta == 0) {
#pragma GCC unroll 16
        for (int j = 0; j < N; ++j)
#pragma GCC unroll 8
            for (int v = 0; v < MV; ++v)
                store(d + j * t.column_stride + v * length, alpha * sum[j][v]);
    } else {
#pragma GCC unroll 16
        for (int j = 0; j < N; ++j)
#pragma GCC unroll 8
            for (int v = 0; v < MV; ++v) {
                T *at = d + j * t.column_stride + v * length;
                store(at, axpby(alpha, sum[j][v], beta, load(at)));
            }
    }
}

/// Picks the variant with the fewest registers and columns that hold the tile.
template <class Unit, int group, int MR, int NR, int MV, int N>
inline void choose_words(const micro_tile &t, int64_t vectors) {
    if constexpr (N > 1) {
        if (t.n < N)
            return choose_words<Unit, group, MR, NR, MV, N - 1>(t, vectors);
    }
    if constexpr (MV > 1) {
        if (vectors < MV)
            return choose_words<Unit, group, MR, NR, MV - 1, N>(t, vectors);
    }
    tile_words<Unit, group, MR, NR, MV, N>(t);
}

template <class Unit, int group, int MR, int NR> void multiply_words(const micro_tile *t) {
    constexpr int length = simd<word>::length;
    choose_words<Unit, group, MR, NR, MR / length, NR>(*t, (t->m + length - 1) / length);
}

} // namespace
