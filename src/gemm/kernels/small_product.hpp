// A small real product, tile by tile.
#pragma once

#include "gemm/kernels/small_real.hpp"

namespace {

/// Tells tiles to fetch nothing.
template <class T, int MV, int N> struct fetch_nothing {
    static constexpr small_tiles<T, MV, N> tiles{};

    fetched<T> lines() const { return {}; }
    void after_tile() const {}
    small_tile_function<T, nothing> tile(int64_t vectors, int64_t columns) const {
        return tiles.of[vectors - 1][columns - 1];
    }
};

/// Tiles of nearly equal size, so that none is left with few accumulators: the latency of FMAs
/// would show. `beside` says what each of them fetches.
template <class T, int MR, int NR, class Fetch>
inline void multiply_tile_by_tile(const small_product &s, int64_t vectors,
                                  typename simd<T>::mask last, Fetch beside) {
    constexpr int length = simd<T>::length;
    constexpr int most = MR / length;
    const int64_t row_tiles = divide_up(vectors, most);
    const auto all = first_lanes<T>(length);
    int64_t column = 0;
    for (int64_t y = divide_up(s.n, NR); y > 0; --y) {
        const int64_t n = y == 1 ? s.n - column : divide_up(s.n - column, y);
        const T *b = static_cast<const T *>(s.b) + column * s.b_step_n;
        T *d = static_cast<T *>(s.d) + column * s.d_step;
        int64_t vector = 0;
        for (int64_t x = row_tiles; x > 0; --x) {
            const int64_t v = x == 1 ? vectors - vector : divide_up(vectors - vector, x);
            const auto tile = beside.tile(v, n);
            tile(s, static_cast<const T *>(s.a) + vector * length, b, d + vector * length,
                 x == 1 ? last : all, beside.lines());
            beside.after_tile();
            vector += v;
        }
        column += n;
    }
}

template <class T, int MR, int NR> [[gnu::noinline]] void
multiply_in_tiles(const small_product &s, int64_t vectors, typename simd<T>::mask last) {
    multiply_tile_by_tile<T, MR, NR>(s, vectors, last,
                                     fetch_nothing<T, MR / simd<T>::length, NR>{});
}

/// The largest tile of a product with many columns, whose rows fill so many registers.
template <class T, int MR, int NR, int64_t registers> struct largest_tile {
    static constexpr auto size =
        tenfold::gemm_impl::tiles_of_small(registers, 2 * NR + 1, {MR / simd<T>::length, NR});
    static constexpr int rows = static_cast<int>(size.registers) * simd<T>::length;
    static constexpr int columns = static_cast<int>(size.columns);
};

/// Calls `multiply` with the largest_tile of a product whose rows fill so many registers.
template <class T, int MR, int NR, class Multiply>
inline void with_largest_tile(int64_t vectors, const Multiply &multiply) {
    constexpr int64_t usual = 2; // all but one and higher_tile_registers are alike
    if (vectors == 1)
        multiply(largest_tile<T, MR, NR, 1>{});
    else if (vectors == higher_tile_registers)
        multiply(largest_tile<T, MR, NR, higher_tile_registers>{});
    else
        multiply(largest_tile<T, MR, NR, usual>{});
}

template <class T, int MR, int NR> void multiply_small(const small_product *s) {
    constexpr int length = simd<T>::length;
    static constexpr small_tiles<T, 1, 2 * NR> rows_of_one;
    const T *const a = static_cast<const T *>(s->a);
    // One row would leave all lanes but one idle: B's columns are multiplied along k instead.
    if (s->m == 1 && s->k >= length && s->a_step == 1 && s->b_step_k == 1 &&
        (s->d_step == 1 || s->n == 1)) {
        const matrix_vector by_columns{s->n, s->k,     s->b,    s->b_step_n, false,
                                       a,    s->alpha, s->beta, s->d,        s->n == 1};
        return gemv_rows_real<T>(&by_columns);
    }
    const int64_t vectors = divide_up(s->m, length);
    const auto last = first_lanes<T>(s->m - (vectors - 1) * length);
    if (vectors == 1 && s->n <= 2 * NR)
        return rows_of_one.of[0][s->n - 1](*s, a, static_cast<const T *>(s->b),
                                           static_cast<T *>(s->d), last, {});
    with_largest_tile<T, MR, NR>(vectors, [&](auto tile) {
        multiply_in_tiles<T, tile.rows, tile.columns>(*s, vectors, last);
    });
}

} // namespace
