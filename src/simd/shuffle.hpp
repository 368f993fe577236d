// Shuffles between registers: interleaving real and imaginary parts, and transposing small blocks.
#pragma once

#include "simd/registers.hpp"

// GCC warns of every array whose bound is an int template parameter.
#pragma GCC diagnostic ignored "-Wsign-conversion"

namespace {

/// A block's vector, possibly narrower than a register: `lanes` elements of T.
template <class T, int lanes> struct simd_of;
#define TENFOLD_SIMD_OF(T, lanes)                                                                  \
    template <> struct simd_of<T, lanes> {                                                         \
        typedef T wide __attribute__((vector_size(lanes * sizeof(T))));                            \
        typedef T unaligned                                                                        \
            __attribute__((vector_size(lanes * sizeof(T)), aligned(sizeof(T)), may_alias));        \
    };
TENFOLD_SIMD_OF(double, 2)
TENFOLD_SIMD_OF(double, 4)
TENFOLD_SIMD_OF(double, 8)
TENFOLD_SIMD_OF(float, 4)
TENFOLD_SIMD_OF(float, 8)
TENFOLD_SIMD_OF(float, 16)
#undef TENFOLD_SIMD_OF

template <class T, int lanes> struct block_ops {
    using wide = typename simd_of<T, lanes>::wide;
    using unaligned = typename simd_of<T, lanes>::unaligned;

    static wide load(const T *from) { return *reinterpret_cast<const unaligned *>(from); }
    static void store(T *to, wide value) { *reinterpret_cast<unaligned *>(to) = value; }

    /// (a0 b0 a1 b1 ..), the lower half of both.
    static wide zip_low(wide a, wide b) {
        if constexpr (lanes == 2)
            return __builtin_shufflevector(a, b, 0, 2);
        else if constexpr (lanes == 4)
            return __builtin_shufflevector(a, b, 0, 4, 1, 5);
        else if constexpr (lanes == 8)
            return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
        else
            return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7,
                                           23);
    }
    /// The upper half of both.
    static wide zip_high(wide a, wide b) {
        if constexpr (lanes == 2)
            return __builtin_shufflevector(a, b, 1, 3);
        else if constexpr (lanes == 4)
            return __builtin_shufflevector(a, b, 2, 6, 3, 7);
        else if constexpr (lanes == 8)
            return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
        else
            return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14,
                                           30, 15, 31);
    }
    /// Elements 0 2 4 .. of a, then of b: the real parts of two registers of complex numbers.
    static wide evens(wide a, wide b) {
        if constexpr (lanes == 2)
            return __builtin_shufflevector(a, b, 0, 2);
        else if constexpr (lanes == 4)
            return __builtin_shufflevector(a, b, 0, 2, 4, 6);
        else if constexpr (lanes == 8)
            return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
        else
            return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26,
                                           28, 30);
    }
    static wide odds(wide a, wide b) {
        if constexpr (lanes == 2)
            return __builtin_shufflevector(a, b, 1, 3);
        else if constexpr (lanes == 4)
            return __builtin_shufflevector(a, b, 1, 3, 5, 7);
        else if constexpr (lanes == 8)
            return __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
        else
            return __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27,
                                           29, 31);
    }

    /// Neighbours change places: the parts of complex numbers.
    static wide swapped(wide x) {
        if constexpr (lanes == 2)
            return __builtin_shufflevector(x, x, 1, 0);
        else if constexpr (lanes == 4)
            return __builtin_shufflevector(x, x, 1, 0, 3, 2);
        else if constexpr (lanes == 8)
            return __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6);
        else
            return __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15,
                                           14);
    }
    /// Elements 0 2 4 .. of a between 1 3 5 .. of b, each where it was.
    static wide in_turns(wide a, wide b) {
        if constexpr (lanes == 2)
            return __builtin_shufflevector(a, b, 0, 3);
        else if constexpr (lanes == 4)
            return __builtin_shufflevector(a, b, 0, 5, 2, 7);
        else if constexpr (lanes == 8)
            return __builtin_shufflevector(a, b, 0, 9, 2, 11, 4, 13, 6, 15);
        else
            return __builtin_shufflevector(a, b, 0, 17, 2, 19, 4, 21, 6, 23, 8, 25, 10, 27, 12, 29,
                                           14, 31);
    }

    /// Of every 128 bits (a0+a1 b0+b1), or in single precision (a0+a1 a2+a3 b0+b1 b2+b3).
    static wide add_neighbours(wide a, wide b) {
        if constexpr (lanes * sizeof(T) == 16)
            return evens(a, b) + odds(a, b);
        else if constexpr (lanes == 4)
            return __builtin_shufflevector(a, b, 0, 4, 2, 6) +
                   __builtin_shufflevector(a, b, 1, 5, 3, 7);
        else if constexpr (lanes == 8 && sizeof(T) == 4)
            return __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14) +
                   __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
        else if constexpr (lanes == 8)
            return __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14) +
                   __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
        else
            return __builtin_shufflevector(a, b, 0, 2, 16, 18, 4, 6, 20, 22, 8, 10, 24, 26, 12, 14,
                                           28, 30) +
                   __builtin_shufflevector(a, b, 1, 3, 17, 19, 5, 7, 21, 23, 9, 11, 25, 27, 13, 15,
                                           29, 31);
    }
    /// Both halves of a added up, then those of b.
    static wide add_halves(wide a, wide b) {
        if constexpr (lanes == 4)
            return __builtin_shufflevector(a, b, 0, 1, 4, 5) +
                   __builtin_shufflevector(a, b, 2, 3, 6, 7);
        else if constexpr (lanes == 8)
            return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11) +
                   __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
        else
            return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22,
                                           23) +
                   __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28,
                                           29, 30, 31);
    }
    /// The same of the quarters of registers of 64 bytes: first and second, third and last.
    static wide add_quarters(wide a, wide b) {
        if constexpr (lanes == 8)
            return __builtin_shufflevector(a, b, 0, 1, 4, 5, 8, 9, 12, 13) +
                   __builtin_shufflevector(a, b, 2, 3, 6, 7, 10, 11, 14, 15);
        else
            return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25,
                                           26, 27) +
                   __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29,
                                           30, 31);
    }
    /// The sum of the elements of each of `lanes` registers, that of register r in lane r. Shuffles
    /// of AVX2 that stay within 128 bits are cheaper than others.
    static wide sums_of(wide (&x)[lanes]) {
        constexpr int in_128_bits = 16 / sizeof(T);
        constexpr int bytes = lanes * sizeof(T);
#pragma GCC unroll 2
        for (int added = 1; added < in_128_bits; added *= 2)
#pragma GCC unroll 8
            for (int r = 0; r < lanes / (2 * added); ++r)
                x[r] = add_neighbours(x[2 * r], x[2 * r + 1]);
        if constexpr (bytes == 32)
            return add_halves(x[0], x[1]);
        else if constexpr (bytes == 64)
            return add_quarters(add_halves(x[0], x[1]), add_halves(x[2], x[3]));
        else
            return x[0];
    }

    /// Transposes a square block in log2(lanes) rounds of perfect shuffles: after each, the two
    /// halves of the rows are interleaved element by element.
    static void transpose(wide (&rows)[lanes]) {
#pragma GCC unroll 4
        for (int round = 1; round < lanes; round *= 2) {
            wide next[lanes];
#pragma GCC unroll 8
            for (int i = 0; i < lanes / 2; ++i) {
                next[2 * i] = zip_low(rows[i], rows[i + lanes / 2]);
                next[2 * i + 1] = zip_high(rows[i], rows[i + lanes / 2]);
            }
#pragma GCC unroll 16
            for (int i = 0; i < lanes; ++i)
                rows[i] = next[i];
        }
    }
};

/// The widest block that a panel of R rows is made of: a register, or less for narrow panels.
template <class T, int R> constexpr int block_lanes() {
    int lanes = simd<T>::length;
    while (lanes > R)
        lanes /= 2;
    return lanes;
}

} // namespace
