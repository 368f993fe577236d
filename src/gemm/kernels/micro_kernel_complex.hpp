// The complex micro-kernel. Packing has split real and imaginary parts, so that every product is
// four real FMAs on whole registers and no lane is shuffled inside the k loop; conjugation happened
// in packing, as a sign.
#pragma once

#include "gemm/kernels/simd.hpp"
#include "simd/shuffle.hpp"

namespace {

/// d = alpha tile + beta d; `re` and `im` are A B, column after column, `height` apart.
template <class T> [[gnu::noinline]] void update_complex(const micro_tile &t, const T *re,
                                                         const T *im, int64_t height) {
    const factor<T> alpha(t.alpha);
    const factor<T> beta(t.beta);
    const int64_t step = 2 * t.row_stride;
    for (int64_t j = 0; j < t.n; ++j, re += height, im += height) {
        T *d = static_cast<T *>(t.d) + 2 * j * t.column_stride;
        if (beta.zero()) {
            for (int64_t i = 0; i < t.m; ++i, d += step) {
                d[0] = alpha.re * re[i] - alpha.im * im[i];
                d[1] = alpha.re * im[i] + alpha.im * re[i];
            }
        } else if (beta.real()) {
            for (int64_t i = 0; i < t.m; ++i, d += step) {
                d[0] = alpha.re * re[i] - alpha.im * im[i] + beta.re * d[0];
                d[1] = alpha.re * im[i] + alpha.im * re[i] + beta.re * d[1];
            }
        } else {
            for (int64_t i = 0; i < t.m; ++i, d += step) {
                const T old_re = d[0];
                const T old_im = d[1];
                d[0] = alpha.re * re[i] - alpha.im * im[i] + beta.re * old_re - beta.im * old_im;
                d[1] = alpha.re * im[i] + alpha.im * re[i] + beta.re * old_im + beta.im * old_re;
            }
        }
    }
}

template <class T, int MR, int NR, int MV, int N>
[[gnu::noinline]] void tile_complex(const micro_tile &t) {
    using wide = typename simd<T>::wide;
    constexpr int length = simd<T>::length;
    const T *a = static_cast<const T *>(t.a);
    const T *b = static_cast<const T *>(t.b);

    if (t.row_stride == 1) {
        const T *d = static_cast<const T *>(t.d);
#pragma GCC unroll 16
        for (int j = 0; j < N; ++j)
#pragma GCC unroll 8
            for (int v = 0; v < 2 * MV; ++v)
                __builtin_prefetch(d + 2 * j * t.column_stride + v * length, 1);
    }

    wide re[N][MV] = {};
    wide im[N][MV] = {};
    for (int64_t p = t.k; p > 0; --p) {
        wide a_re[MV];
        wide a_im[MV];
#pragma GCC unroll 8
        for (int v = 0; v < MV; ++v) {
            a_re[v] = load(a + v * length);
            a_im[v] = load(a + MR + v * length);
        }
#pragma GCC unroll 16
        for (int j = 0; j < N; ++j) {
#pragma GCC unroll 8
            for (int v = 0; v < MV; ++v) {
                re[j][v] += a_re[v] * b[j];
                im[j][v] += a_im[v] * b[j];
            }
#pragma GCC unroll 8
            for (int v = 0; v < MV; ++v) {
                re[j][v] -= a_im[v] * b[NR + j];
                im[j][v] += a_re[v] * b[NR + j];
            }
        }
        a += 2 * MR;
        b += 2 * NR;
    }

    if (t.row_stride == 1 && t.m == MV * length) {
        const factor<T> alpha(t.alpha);
        const factor<T> beta(t.beta);
        if (beta.real()) {
            using ops = block_ops<T, length>;
            const bool keep = beta.re != 0;
#pragma GCC unroll 16
            for (int j = 0; j < N; ++j)
#pragma GCC unroll 8
                for (int v = 0; v < MV; ++v) {
                    const wide real = axpby(alpha.re, re[j][v], -alpha.im, im[j][v]);
                    const wide imaginary = axpby(alpha.re, im[j][v], alpha.im, re[j][v]);
                    T *d = static_cast<T *>(t.d) + 2 * (j * t.column_stride + v * length);
                    wide low = ops::zip_low(real, imaginary);
                    wide high = ops::zip_high(real, imaginary);
                    if (keep) {
                        low += beta.re * load(d);
                        high += beta.re * load(d + length);
                    }
                    store(d, low);
                    store(d + length, high);
                }
            return;
        }
    }
    alignas(64) T tile_re[N * MV * length];
    alignas(64) T tile_im[N * MV * length];
#pragma GCC unroll 16
    for (int j = 0; j < N; ++j)
#pragma GCC unroll 8
        for (int v = 0; v < MV; ++v) {
            store(tile_re + (j * MV + v) * length, re[j][v]);
            store(tile_im + (j * MV + v) * length, im[j][v]);
        }
    update_complex(t, tile_re, tile_im, MV * length);
}

template <class T, int MR, int NR, int MV, int N>
inline void choose_complex(const micro_tile &t, int64_t vectors) {
    if constexpr (N > 1) {
        if (t.n < N)
            return choose_complex<T, MR, NR, MV, N - 1>(t, vectors);
    }
    if constexpr (MV > 1) {
        if (vectors < MV)
            return choose_complex<T, MR, NR, MV - 1, N>(t, vectors);
    }
    tile_complex<T, MR, NR, MV, N>(t);
}

template <class T, int MR, int NR> void multiply_complex(const micro_tile *t) {
    constexpr int length = simd<T>::length;
    choose_complex<T, MR, NR, MR / length, NR>(*t, (t->m + length - 1) / length);
}

} // namespace
