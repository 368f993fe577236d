// Products whose matrices are interleaved: a register holds the same element of neighbouring
// products, so that their edges cost nothing, however small they are (libraries call this compact
// or packed GEMM: Kim et al. 2017, Designing vector-friendly compact BLAS and LAPACK kernels).
#pragma once

#include <type_traits>

#include "gemm/kernels/small_complex.hpp"

namespace {

/// D's elements of a tile that fit in registers with a column of A and one element of B.
constexpr int interleaved_rows = register_count >= 32 ? 4 : 3;
constexpr int interleaved_columns = register_count >= 32 ? 4 : 3;
/// Complex ones have two accumulators, and B's element is there twice.
constexpr int interleaved_complex_rows = register_count >= 32 ? 3 : 2;
constexpr int interleaved_complex_columns = register_count >= 32 ? 3 : 2;

template <class T> struct interleaved_operands {
    const T *a, *b;
    T *d;
};

/// MI x NI elements of as many products as a register has lanes, or of `some` of them.
template <class T, int MI, int NI>
[[gnu::always_inline]] inline void interleaved_element(const interleaved_products &s,
                                                       const interleaved_operands<T> &x,
                                                       cut_register<T> lanes) {
    using wide = typename simd<T>::wide;
    const T *a = x.a, *b = x.b;
    wide sum[NI][MI] = {};
    for (int64_t p = s.k; p > 0; --p) {
        wide column[MI];
#pragma GCC unroll 8
        for (int i = 0; i < MI; ++i)
            column[i] = lanes.read(a + i * s.a_step_m);
#pragma GCC unroll 8
        for (int j = 0; j < NI; ++j) {
            const wide row = lanes.read(b + j * s.b_step_n);
#pragma GCC unroll 8
            for (int i = 0; i < MI; ++i)
                sum[j][i] += column[i] * row;
        }
        a += s.a_step_k;
        b += s.b_step_k;
    }
    const T alpha = *static_cast<const T *>(s.alpha);
    const T beta = *static_cast<const T *>(s.beta);
    const auto write = [&](auto added) __attribute__((always_inline)) {
        T *column = x.d;
#pragma GCC unroll 8
        for (int j = 0; j < NI; ++j, column += s.d_step_n) {
            T *d = column;
#pragma GCC unroll 8
            for (int i = 0; i < MI; ++i, d += s.d_step_m) {
                wide value = rounded(alpha * sum[j][i]);
                if constexpr (added)
                    value += beta * lanes.read(d);
                lanes.write(d, value);
            }
        }
    };
    if (beta == 0)
        write(std::false_type{});
    else
        write(std::true_type{});
}

/// The same of complex numbers, whose parts are adjacent. A's numbers are multiplied by the real
/// and by the imaginary part of B's into two accumulators, as in small_complex.hpp.
template <class T, int MI, int NI>
inline void interleaved_complex_element(const interleaved_products &s,
                                        const small_complex_update<T> &to,
                                        const interleaved_operands<T> &x, cut_register<T> lanes) {
    using wide = typename simd<T>::wide;
    using ops = block_ops<T, simd<T>::length>;
    const T *a = x.a, *b = x.b;
    wide by_re[NI][MI] = {};
    wide by_im[NI][MI] = {};
    for (int64_t p = s.k; p > 0; --p) {
        wide column[MI];
#pragma GCC unroll 8
        for (int i = 0; i < MI; ++i)
            column[i] = lanes.read(a + 2 * i * s.a_step_m);
#pragma GCC unroll 8
        for (int j = 0; j < NI; ++j) {
            const wide number = lanes.read(b + 2 * j * s.b_step_n);
            const wide crossed = ops::swapped(number);
            const wide re = ops::in_turns(number, crossed);
            const wide im = ops::in_turns(crossed, number);
#pragma GCC unroll 8
            for (int i = 0; i < MI; ++i) {
                by_re[j][i] += column[i] * re;
                by_im[j][i] += column[i] * im;
            }
        }
        a += 2 * s.a_step_k;
        b += 2 * s.b_step_k;
    }
#pragma GCC unroll 8
    for (int j = 0; j < NI; ++j)
#pragma GCC unroll 8
        for (int i = 0; i < MI; ++i) {
            T *const d = x.d + 2 * (i * s.d_step_m + j * s.d_step_n);
            wide value = to.plain(by_re[j][i], by_im[j][i]);
            if (!to.real_alpha)
                value = to.add_turned(value, by_re[j][i], by_im[j][i]);
            if (!to.zero_beta)
                value = to.add_kept(value, lanes.read(d));
            lanes.write(d, value);
        }
}

/// Calls element(operands, lanes) for whole registers of products, then for those that are left.
/// `width` is the number of T in one product's element.
template <class T, int width, class Element> [[gnu::always_inline]] inline void
for_each_register(int64_t count, interleaved_operands<T> x, const Element &element) {
    constexpr int length = simd<T>::length;
    int64_t left = width * count;
    for (; left >= length; left -= length) {
        element(x, cut_register<T>{false, {}});
        x = {x.a + length, x.b + length, x.d + length};
    }
    if (left > 0)
        element(x, cut_register<T>{true, first_lanes<T>(left)});
}

template <class T, int MI, int NI> [[gnu::noinline]] void
interleaved_tile(const interleaved_products &s, const interleaved_operands<T> &x) {
    for_each_register<T, 1>(
        s.count, x,
        [&](const interleaved_operands<T> &at, cut_register<T> lanes)
            __attribute__((always_inline)) { interleaved_element<T, MI, NI>(s, at, lanes); });
}

template <class T, int MI, int NI> [[gnu::noinline]] void
interleaved_complex_tile(const interleaved_products &s, const interleaved_operands<T> &x) {
    small_product factors{};
    factors.alpha = s.alpha;
    factors.beta = s.beta;
    factors.conj_a = s.conj_a;
    factors.conj_b = s.conj_b;
    const small_complex_update<T> to(factors);
    for_each_register<T, 2>(
        s.count, x,
        [&](const interleaved_operands<T> &at, cut_register<T> lanes) __attribute__((
            always_inline)) { interleaved_complex_element<T, MI, NI>(s, to, at, lanes); });
}

template <class T> using interleaved_function = void (*)(const interleaved_products &,
                                                         const interleaved_operands<T> &);

template <class T> struct interleaved_kernels {
    template <int I, int J> struct sized {
        static constexpr interleaved_function<T> multiply = interleaved_tile<T, I, J>;
    };
    template <int I, int J> struct sized_complex {
        static constexpr interleaved_function<T> multiply = interleaved_complex_tile<T, I, J>;
    };
};

/// Tile by tile of nearly equal size, each for all products.
template <class T, int width, int rows, int columns, class Tiles>
inline void multiply_interleaved_tiles(const interleaved_products &s, const Tiles &tiles) {
    const T *b = static_cast<const T *>(s.b);
    T *d = static_cast<T *>(s.d);
    int64_t column = 0;
    for (int64_t y = divide_up(s.n, columns); y > 0; --y) {
        const int64_t n = y == 1 ? s.n - column : divide_up(s.n - column, y);
        const T *a = static_cast<const T *>(s.a);
        T *to = d;
        int64_t row = 0;
        for (int64_t x = divide_up(s.m, rows); x > 0; --x) {
            const int64_t m = x == 1 ? s.m - row : divide_up(s.m - row, x);
            tiles.of[m - 1][n - 1](s, {a, b, to});
            a += width * m * s.a_step_m;
            to += width * m * s.d_step_m;
            row += m;
        }
        b += width * n * s.b_step_n;
        d += width * n * s.d_step_n;
        column += n;
    }
}

/// `size`: bytes of an element.
[[gnu::always_inline]] inline void fetch_interleaved(const interleaved_products &s, int64_t size) {
    if (s.following == 0)
        return;
    const auto fetch = [&](const void *x, int64_t rows, int64_t row_step, int64_t columns,
                           int64_t column_step, auto element) __attribute__((always_inline)) {
        const char *column = static_cast<const char *>(x) + s.count * size;
        for (; columns > 0; --columns, column += column_step * size) {
            const char *at = column;
            for (int64_t i = rows; i > 0; --i, at += row_step * size)
                element(at);
        }
    };
    const int64_t bytes = s.following * size;
    const auto read = [&](const char *at) __attribute__((always_inline)) {
        fetch_matrix<0>(at, bytes, 1, 0, 0);
    };
    const auto write = [&](const char *at) __attribute__((always_inline)) {
        fetch_matrix<1>(at, bytes, 1, 0, 0);
    };
    fetch(s.a, s.m, s.a_step_m, s.k, s.a_step_k, read);
    fetch(s.b, s.k, s.b_step_k, s.n, s.b_step_n, read);
    fetch(s.d, s.m, s.d_step_m, s.n, s.d_step_n, write);
}

template <class T> void multiply_interleaved(const interleaved_products *s) {
    static constexpr tile_table<interleaved_function<T>, interleaved_kernels<T>::template sized,
                                interleaved_rows, interleaved_columns>
        tiles;
    fetch_interleaved(*s, sizeof(T));
    multiply_interleaved_tiles<T, 1, interleaved_rows, interleaved_columns>(*s, tiles);
}

template <class T> void multiply_interleaved_complex(const interleaved_products *s) {
    static constexpr tile_table<interleaved_function<T>,
                                interleaved_kernels<T>::template sized_complex,
                                interleaved_complex_rows, interleaved_complex_columns>
        tiles;
    fetch_interleaved(*s, 2 * sizeof(T));
    multiply_interleaved_tiles<T, 2, interleaved_complex_rows, interleaved_complex_columns>(*s,
                                                                                            tiles);
}

} // namespace
