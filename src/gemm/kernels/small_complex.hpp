// Small complex products: nothing is packed, and A's numbers stay as they lie, real and imaginary
// parts in turns. A register of them is multiplied by the real and by the imaginary part of B's
// element into two accumulators. Only at the end do lanes change places and get their signs, so
// that conjugation costs nothing.
#pragma once

#include "gemm/kernels/series.hpp"
#include "gemm/kernels/simd.hpp"
#include "simd/shuffle.hpp"

namespace {

/// What becomes of a tile: alpha (A B) + beta D out of products by real and by imaginary parts.
/// Made once for all tiles.
template <class T> struct small_complex_update {
    using wide = typename simd<T>::wide;
    using ops = block_ops<T, simd<T>::length>;

    wide re, im_swapped; ///< factors of products by real parts, and of others, parts swapped
    wide re_swapped, im; ///< likewise, for alpha's imaginary part
    wide beta, beta_swapped;
    bool real_alpha, zero_beta, real_beta;

    explicit small_complex_update(const small_product &s) {
        const factor<T> by(s.alpha);
        const wide straight = in_turns(1, s.conj_a ? -1 : 1);
        const wide crossed = in_turns(s.conj_a != s.conj_b ? 1 : -1, s.conj_b ? -1 : 1);
        const wide turn = in_turns(-by.im, by.im);
        re = by.re * straight;
        im_swapped = by.re * crossed;
        re_swapped = turn * ops::swapped(straight);
        im = turn * ops::swapped(crossed);
        real_alpha = by.real();
        keep(factor<T>(s.beta));
    }
    /// Sets beta.
    void keep(const factor<T> &by) {
        beta = in_turns(by.re, by.re);
        beta_swapped = in_turns(-by.im, by.im);
        zero_beta = by.zero();
        real_beta = by.real();
    }
    static wide in_turns(T even, T odd) { return ops::in_turns(even - wide{}, odd - wide{}); }

    /// Of a real alpha, D not added. Neither product in an FMA: which one it were would depend on
    /// what the compiler makes of a tile, and results on where threads cut D.
    wide plain(wide by_re, wide by_im) const {
        return rounded(by_re * re) + rounded(ops::swapped(by_im) * im_swapped);
    }
    wide add_turned(wide value, wide by_re, wide by_im) const {
        value += by_im * im;
        value += ops::swapped(by_re) * re_swapped;
        return value;
    }
    wide add_kept(wide value, wide old) const {
        value += beta * old;
        if (!real_beta)
            value += beta_swapped * ops::swapped(old);
        return value;
    }
};

/// Of which only the first lanes may be touched.
template <class T> struct cut_register {
    bool cut;
    typename simd<T>::mask some;
    typename simd<T>::wide read(const T *from) const {
        return cut ? load_part(from, some) : load(from);
    }
    void write(T *to, typename simd<T>::wide value) const {
        if (cut)
            store_part(to, some, value);
        else
            store(to, value);
    }
};

/// One tile of MV registers, the last of which has only `some` lanes, by N columns.
template <class T, int MV, int N, fetch What>
[[gnu::noinline]] void small_complex_tile(const small_product &s, const small_complex_update<T> &to,
                                          const T *a, factors<T> b, T *d,
                                          typename simd<T>::mask some, fetched<T> next) {
    using wide = typename simd<T>::wide;
    constexpr int length = simd<T>::length;
    const int64_t a_step = 2 * s.a_step;
    const int64_t b_step_k = 2 * s.b_step_k;
    const int64_t b_step_n = 2 * s.b_step_n;

    wide by_re[N][MV] = {};
    wide by_im[N][MV] = {};
    for (int64_t p = s.k; p > 0; --p) {
        wide column[MV];
        if constexpr (What & next_line)
            fetch_lines(next);
#pragma GCC unroll 8
        for (int v = 0; v + 1 < MV; ++v)
            column[v] = load(a + v * length);
        column[MV - 1] = load_part(a + (MV - 1) * length, some);
#pragma GCC unroll 16
        for (int j = 0; j < N; ++j) {
#pragma GCC unroll 8
            for (int v = 0; v < MV; ++v)
                by_re[j][v] += column[v] * b[j * b_step_n];
#pragma GCC unroll 8
            for (int v = 0; v < MV; ++v)
                by_im[j][v] += column[v] * b[j * b_step_n + 1];
        }
        a += a_step;
        b += b_step_k;
    }

    const int64_t d_step = 2 * s.d_step;
    if (to.real_alpha && to.zero_beta) {
#pragma GCC unroll 16
        for (int j = 0; j < N; ++j, d += d_step)
#pragma GCC unroll 8
            for (int v = 0; v < MV; ++v)
                cut_register<T>{v + 1 == MV, some}.write(d + v * length,
                                                         to.plain(by_re[j][v], by_im[j][v]));
        return;
    }
#pragma GCC unroll 16
    for (int j = 0; j < N; ++j, d += d_step)
#pragma GCC unroll 8
        for (int v = 0; v < MV; ++v) {
            const cut_register<T> place{v + 1 == MV, some};
            wide value = to.plain(by_re[j][v], by_im[j][v]);
            if (!to.real_alpha)
                value = to.add_turned(value, by_re[j][v], by_im[j][v]);
            if (!to.zero_beta)
                value = to.add_kept(value, place.read(d + v * length));
            place.write(d + v * length, value);
        }
}

template <class T> using small_complex_tile_function = void (*)(const small_product &,
                                                                const small_complex_update<T> &,
                                                                const T *, factors<T>, T *,
                                                                typename simd<T>::mask, fetched<T>);

template <class T, fetch What> struct small_complex_kernels {
    template <int V, int C> struct sized {
        static constexpr small_complex_tile_function<T> multiply =
            small_complex_tile<T, V, C, What>;
    };
};
/// The tiles of 1..MV registers by 1..N columns.
template <class T, int MV, int N, fetch What> using small_complex_tiles =
    tile_table<small_complex_tile_function<T>, small_complex_kernels<T, What>::template sized, MV,
               N>;

/// One product in tiles, with as many accumulators as the packed kernel has: where those are one
/// register high, two by half of the columns load less. Takes the operands from a, b and d. Each
/// step fetches a line of `next` if What says so.
template <class T, int MR, int NR, fetch What>
inline void multiply_in_complex_tiles(const small_product &s, const small_complex_update<T> &to,
                                      const T *a, const T *b, T *d, fetched<T> next) {
    constexpr int length = simd<T>::length;
    constexpr bool flat = MR == length;
    constexpr int most = flat ? 2 : MR / length;
    constexpr int columns = flat ? NR / 2 : NR;
    static constexpr small_complex_tiles<T, most, columns, What> tiles;
    static constexpr small_complex_tiles<T, 1, 2 * columns, What> rows_of_one;

    const int64_t vectors = divide_up(2 * s.m, length);
    const auto last = first_lanes<T>(2 * s.m - (vectors - 1) * length);
    if (vectors == 1 && s.n <= 2 * columns)
        return rows_of_one.of[0][s.n - 1](s, to, a, b, d, last, next);
    const int64_t row_tiles = divide_up(vectors, most);
    const auto all = first_lanes<T>(length);
    const int64_t column_tiles = divide_up(s.n, columns);
    int64_t vector = 0;
    for (int64_t x = row_tiles; x > 0; --x) {
        const int64_t v = x == 1 ? vectors - vector : divide_up(vectors - vector, x);
        const T *right = b;
        T *to_tile = d + vector * length;
        int64_t column = 0;
        for (int64_t y = column_tiles; y > 0; --y) {
            const int64_t n = y == 1 ? s.n - column : divide_up(s.n - column, y);
            tiles.of[v - 1][n - 1](s, to, a + vector * length, right, to_tile, x == 1 ? last : all,
                                   next);
            if constexpr (What & next_line)
                next.skip(s.k);
            right += 2 * n * s.b_step_n;
            to_tile += 2 * n * s.d_step;
            column += n;
        }
        vector += v;
    }
}

template <class T, int MR, int NR> void multiply_small_complex(const small_product *s) {
    multiply_in_complex_tiles<T, MR, NR, nothing>(
        *s, small_complex_update<T>(*s), static_cast<const T *>(s->a), static_cast<const T *>(s->b),
        static_cast<T *>(s->d), {});
}

template <class T, int MR, int NR> void multiply_series_complex(const small_series *s) {
    small_complex_update<T> to(s->first);
    const T *a = static_cast<const T *>(s->first.a);
    const T *b = static_cast<const T *>(s->first.b);
    T *d = static_cast<T *>(s->first.d);
    const int64_t a_next = 2 * s->a_next, b_next = 2 * s->b_next, d_next = 2 * s->d_next;
    const series_fetch fetch(*s, 2 * sizeof(T));
    for (int64_t i = 0; i < s->count; ++i) {
        fetch(i);
        if (fetch.line_by_line)
            multiply_in_complex_tiles<T, MR, NR, next_line>(s->first, to, a, b, d,
                                                            fetch.next_lines<T>(i, a, b, d));
        else
            multiply_in_complex_tiles<T, MR, NR, nothing>(s->first, to, a, b, d, {});
        if (i == 0 && s->later_beta != s->first.beta)
            to.keep(factor<T>(s->later_beta));
        a += a_next;
        b += b_next;
        d += d_next;
    }
}

} // namespace
