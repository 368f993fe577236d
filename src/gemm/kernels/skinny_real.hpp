// Real products with one long extent: it passes once, tile by tile, and while one tile is computed
// the next one's operands are on their way. What is short stays in the cache.
#pragma once

#include "gemm/kernels/small_real.hpp"

namespace {

/// Many rows, few columns and steps.
template <class T, int MR, int NR> void multiply_tall(const skinny_product *product) {
    constexpr int length = simd<T>::length;
    constexpr int most = MR / length;
    static constexpr small_tiles<T, most, NR, next_d | old_sums> d_only;
    static constexpr small_tiles<T, most, NR, next_d | next_part | old_sums> with_part;
    static constexpr small_tiles<T, most, NR, next_d | next_a | old_sums> with_all;
    static constexpr small_tiles<T, most, NR, next_d | next_part | next_run | old_sums> with_run;
    static constexpr small_tiles<T, most, NR, next_d | next_a | next_run | old_sums> with_runs;

    const small_product &s = product->now;
    const bool by_columns = product->fetches_columns && product->next_a != nullptr;
    const int64_t registers = divide_up(s.m, MR) * most;
    column_runs runs{static_cast<const char *>(product->next_a), registers, registers,
                     s.a_step * static_cast<int64_t>(sizeof(T)) - registers * register_bytes};
    const auto all = first_lanes<T>(length);
    const int64_t tiles = divide_up(s.n, NR);
    int64_t row = 0;
    for (; row < s.m; row += MR) {
        const T *a = static_cast<const T *>(s.a) + row;
        const T *below_a = a + MR;
        const T *below_d = static_cast<const T *>(s.d) + row + MR;
        int64_t vectors = most;
        auto some = all;
        if (row + MR >= s.m) {
            if (product->next_a == nullptr && product->sums == nullptr)
                break;
            // If nothing follows, the tile fetches what it has.
            const bool ends = product->next_a == nullptr;
            below_a = ends ? a : static_cast<const T *>(product->next_a);
            below_d = ends ? below_d - MR : static_cast<const T *>(product->next_d);
            vectors = divide_up(s.m - row, length);
            some = first_lanes<T>(s.m - row - (vectors - 1) * length);
        }
        int64_t column = 0;
        for (int64_t y = 0; y < tiles; ++y) {
            const int64_t n = y + 1 == tiles ? s.n - column : divide_up(s.n - column, tiles - y);
            // The tiles side by side share in fetching the columns of the tile below: all at once
            // would come in bursts.
            const bool shares = tiles >= most && y < most;
            const bool alone = tiles < most && y == 0;
            const auto &of_tiles = shares  ? (by_columns ? with_run.of : with_part.of)
                                   : alone ? (by_columns ? with_runs.of : with_all.of)
                                           : d_only.of;
            const auto *const tile = of_tiles[vectors - 1];
            const T *const sums = product->sums == nullptr ? nullptr
                                                           : static_cast<const T *>(product->sums) +
                                                                 row + column * product->sums_step;
            tile[n - 1](
                s, a, static_cast<const T *>(s.b) + column * s.b_step_n,
                static_cast<T *>(s.d) + row + column * s.d_step, some,
                {{below_a + (shares ? y * length : 0), nullptr, below_d + column * s.d_step},
                 sums,
                 product->sums_step,
                 &runs});
            column += n;
        }
    }
    if (row >= s.m)
        return;
    small_product rest = s;
    rest.m -= row;
    rest.a = static_cast<const T *>(s.a) + row;
    rest.d = static_cast<T *>(s.d) + row;
    multiply_small<T, MR, NR>(&rest);
}

/// All tiles of a product in columns of tiles, of nearly equal size. Where the columns of tiles are
/// too few for each to fetch a part of A, the first one fetches what `Alone` says.
template <class T, int MR, int NR, fetch What, fetch Alone, class Next>
inline void multiply_columns(const small_product &s, const Next &next) {
    constexpr int length = simd<T>::length;
    constexpr int most = MR / length;
    static constexpr small_tiles<T, most, NR, What> in_turns;
    static constexpr small_tiles<T, most, NR, Alone> alone;

    const int64_t vectors = divide_up(s.m, length);
    const int64_t row_tiles = divide_up(vectors, most);
    const auto all = first_lanes<T>(length);
    const auto last = first_lanes<T>(s.m - (vectors - 1) * length);
    const int64_t column_tiles = divide_up(s.n, NR);
    int64_t column = 0;
    for (int64_t y = 0; y < column_tiles; ++y) {
        const int64_t n =
            y + 1 == column_tiles ? s.n - column : divide_up(s.n - column, column_tiles - y);
        const T *b = static_cast<const T *>(s.b) + column * s.b_step_n;
        T *d = static_cast<T *>(s.d) + column * s.d_step;
        int64_t vector = 0;
        for (int64_t x = row_tiles; x > 0; --x) {
            const int64_t v = x == 1 ? vectors - vector : divide_up(vectors - vector, x);
            const auto *const tile =
                y == 0 && column_tiles < most ? alone.of[v - 1] : in_turns.of[v - 1];
            tile[n - 1](s, static_cast<const T *>(s.a) + vector * length, b, d + vector * length,
                        x == 1 ? last : all,
                        next(vector * length, y < v ? y : 0, column, column + n));
            vector += v;
        }
        column += n;
    }
}

/// Those of MR by NR, or, where these would leave one of every three registers over, higher ones,
/// which also have fewer columns of B to address.
template <class T, int MR, int NR, fetch What, fetch Alone, class Next>
inline void multiply_columns_evenly(const small_product &s, const Next &next) {
    constexpr int length = simd<T>::length;
    if constexpr (has_higher_tiles(MR / length, NR))
        if (divide_up(s.m, length) % higher_tile_registers == 0)
            return multiply_columns<T, higher_tile_registers * length, higher_tile_columns, What,
                                    Alone>(s, next);
    multiply_columns<T, MR, NR, What, Alone>(s, next);
}

/// Many columns, few rows and steps.
template <class T, int MR, int NR> void multiply_wide(const skinny_product *product) {
    const small_product &s = product->now;
    const bool ends = product->next_b != nullptr;
    multiply_columns_evenly<T, MR, NR, next_d | next_b, next_d | next_b>(
        s, [&](int64_t row, int64_t, int64_t, int64_t next_column) {
            const bool after = ends && next_column == s.n;
            const int64_t column = after ? 0 : next_column;
            const auto *b = static_cast<const T *>(after ? product->next_b : s.b);
            const auto *d = static_cast<const T *>(after ? product->next_d : s.d);
            return fetched<T>{nullptr, b + column * s.b_step_n, d + row + column * s.d_step};
        });
}

/// Part of many steps, few rows and columns.
template <class T, int MR, int NR> void multiply_deep(const skinny_product *product) {
    const small_product &s = product->now;
    const bool ends = product->next_a != nullptr;
    const T *const after_a = ends ? static_cast<const T *>(product->next_a)
                                  : static_cast<const T *>(s.a) + s.k * s.a_step;
    const T *const after_b = ends ? static_cast<const T *>(product->next_b)
                                  : static_cast<const T *>(s.b) + s.k * s.b_step_k;
    multiply_columns_evenly<T, MR, NR, next_part | next_b, next_a | next_b>(
        s, [&](int64_t row, int64_t v, int64_t column, int64_t) {
            return fetched<T>{after_a + row + v * simd<T>::length, after_b + column * s.b_step_n,
                              nullptr};
        });
}

template <class T, int MR, int NR> constexpr skinny_kernels skinny_kernels_of() {
    return {multiply_tall<T, MR, NR>, multiply_wide<T, MR, NR>, multiply_deep<T, MR, NR>};
}

} // namespace
