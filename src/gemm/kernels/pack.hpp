// Packing into micro-panels of R rows from any pair of strides.
#pragma once

#include "gemm/kernels/simd.hpp"

namespace {

/// One whole panel whose rows are adjacent in memory: every step is a copy.
template <class T, int R> inline void copy_panel(int64_t k, const T *x, int64_t stride_k, T *to) {
    for (int64_t p = 0; p < k; ++p, x += stride_k, to += R)
        for (int i = 0; i < R; ++i)
            to[i] = x[i];
}

/// One whole panel whose steps are adjacent: a transposition, one cache line of every row at a
/// time, so that each line is read once.
template <class T, int R>
inline void transpose_panel(int64_t k, const T *x, int64_t stride, T *to) {
    constexpr int64_t block = 64 / sizeof(T);
    for (int64_t p = 0; p < k; p += block, to += block * R) {
        const int64_t steps = k - p < block ? k - p : block;
        for (int i = 0; i < R; ++i)
            for (int64_t q = 0; q < steps; ++q)
                to[q * R + i] = x[i * stride + p + q];
    }
}

template <class T, int R> inline void gather_panel(int64_t rows, int64_t k, const T *x,
                                                   int64_t stride, int64_t stride_k, T *to) {
    for (int64_t p = 0; p < k; ++p, x += stride_k, to += R) {
        int64_t i = 0;
        for (; i < rows; ++i)
            to[i] = x[i * stride];
        for (; i < R; ++i)
            to[i] = 0;
    }
}

template <class T, int R> void pack_real(const panel_source *s, void *panels) {
    const T *x = static_cast<const T *>(s->x);
    T *to = static_cast<T *>(panels);
    for (int64_t i = 0; i < s->extent; i += R, x += R * s->stride, to += R * s->k) {
        const int64_t rows = s->extent - i < R ? s->extent - i : R;
        if (rows == R && s->stride == 1)
            copy_panel<T, R>(s->k, x, s->stride_k, to);
        else if (rows == R && s->stride_k == 1)
            transpose_panel<T, R>(s->k, x, s->stride, to);
        else
            gather_panel<T, R>(rows, s->k, x, s->stride, s->stride_k, to);
    }
}

template <class T, int R>
inline void split_panel(int64_t k, const T *x, int64_t stride_k, T sign, T *to) {
    for (int64_t p = 0; p < k; ++p, x += 2 * stride_k, to += 2 * R)
        for (int i = 0; i < R; ++i) {
            to[i] = x[2 * i];
            to[R + i] = sign * x[2 * i + 1];
        }
}

template <class T, int R>
inline void transpose_split_panel(int64_t k, const T *x, int64_t stride, T sign, T *to) {
    constexpr int64_t block = 64 / (2 * sizeof(T));
    for (int64_t p = 0; p < k; p += block, to += 2 * block * R) {
        const int64_t steps = k - p < block ? k - p : block;
        for (int i = 0; i < R; ++i)
            for (int64_t q = 0; q < steps; ++q) {
                to[2 * q * R + i] = x[2 * (i * stride + p + q)];
                to[2 * q * R + R + i] = sign * x[2 * (i * stride + p + q) + 1];
            }
    }
}

template <class T, int R> inline void gather_split_panel(int64_t rows, int64_t k, const T *x,
                                                         int64_t stride, int64_t stride_k, T sign,
                                                         T *to) {
    for (int64_t p = 0; p < k; ++p, x += 2 * stride_k, to += 2 * R) {
        int64_t i = 0;
        for (; i < rows; ++i) {
            to[i] = x[2 * i * stride];
            to[R + i] = sign * x[2 * i * stride + 1];
        }
        for (; i < R; ++i) {
            to[i] = 0;
            to[R + i] = 0;
        }
    }
}

template <class T, int R> void pack_complex(const panel_source *s, void *panels) {
    const T *x = static_cast<const T *>(s->x);
    T *to = static_cast<T *>(panels);
    const T sign = s->conj ? T(-1) : T(1);
    for (int64_t i = 0; i < s->extent; i += R, x += 2 * R * s->stride, to += 2 * R * s->k) {
        const int64_t rows = s->extent - i < R ? s->extent - i : R;
        if (rows == R && s->stride == 1)
            split_panel<T, R>(s->k, x, s->stride_k, sign, to);
        else if (rows == R && s->stride_k == 1)
            transpose_split_panel<T, R>(s->k, x, s->stride, sign, to);
        else
            gather_split_panel<T, R>(rows, s->k, x, s->stride, s->stride_k, sign, to);
    }
}

} // namespace
