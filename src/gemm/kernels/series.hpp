// Series of small real products: what follows is fetched while a product is computed
// (docs/adr/0023).
#pragma once

#include "gemm/kernels/small_real.hpp"

namespace {

/// Asks memory for `columns` columns of `rows` bytes, `step` bytes apart; `following` bytes further
/// lies the next matrix that is fetched. Always inline: GCC takes a function that only prefetches
/// for one without effects, and leaves its calls out.
template <int writes> [[gnu::always_inline]] inline void
fetch_matrix(const char *from, int64_t rows, int64_t columns, int64_t step, int64_t following) {
    if (step == rows) {
        rows *= columns;
        columns = 1;
        if (following == rows) { // which fetches the last line
            do {
                __builtin_prefetch(from, writes);
                from += 64;
                rows -= 64;
            } while (rows >= 64);
            return;
        }
    }
    for (; columns > 0; --columns, from += step) {
        for (int64_t at = 0; at < rows; at += 64)
            __builtin_prefetch(from + at, writes);
        __builtin_prefetch(from + rows - 1, writes); // where it ends inside a line
    }
}

/// How products of a series fetch those that follow: hardware follows neither short columns nor
/// masked loads, and an L1 waits for too few lines at a time to fetch only what is needed now.
struct series_fetch {
    const small_series &s;
    int64_t size;      ///< bytes of an element
    int64_t ahead;     ///< products
    bool line_by_line; ///< larger ones, between multiply-adds; others at once

    series_fetch(const small_series &all, int64_t element) : s(all), size(element) {
        constexpr int64_t enough = 6 << 10;  // bytes that arrive while memory answers
        constexpr int64_t at_once = 8 << 10; // that L1 has room for, besides what is in use
        const small_product &p = all.first;
        const int64_t bytes = (p.m * p.k + p.k * p.n + p.m * p.n) * element;
        line_by_line = all.fetches && bytes > at_once && p.a_step == p.m && p.d_step == p.m &&
                       (p.b_step_k == 1 ? p.b_step_n == p.k : p.b_step_n == 1 && p.b_step_k == p.n);
        ahead = bytes >= enough ? 1
                                : static_cast<int64_t>(static_cast<uint32_t>(enough) /
                                                       static_cast<uint32_t>(bytes));
    }

    const char *at(const void *x, int64_t next, int64_t i) const {
        return static_cast<const char *>(x) + (i + ahead) * next * size;
    }

    /// While the i-th product is computed.
    [[gnu::always_inline]] void operator()(int64_t i) const {
        if (!s.fetches || line_by_line || i + ahead >= s.count)
            return;
        const small_product &p = s.first;
        if (s.a_next != 0)
            fetch<0>(at(p.a, s.a_next, i), p.m, p.k, p.a_step, s.a_next);
        if (s.b_next != 0 && p.b_step_k == 1)
            fetch<0>(at(p.b, s.b_next, i), p.k, p.n, p.b_step_n, s.b_next);
        else if (s.b_next != 0 && p.b_step_n == 1)
            fetch<0>(at(p.b, s.b_next, i), p.n, p.k, p.b_step_k, s.b_next);
        if (s.d_next != 0)
            fetch<1>(at(p.d, s.d_next, i), p.m, p.n, p.d_step, s.d_next);
    }

private:
    template <int writes> [[gnu::always_inline]] void
    fetch(const char *from, int64_t rows, int64_t columns, int64_t step, int64_t following) const {
        // Columns whole pages apart share their sets of L1: they would evict what is in use.
        if (step * size % 4096 != 0 || columns <= 4)
            fetch_matrix<writes>(from, rows * size, columns, step * size, following * size);
    }
};

/// Where a product is one tile, its function is looked up once for all.
template <class T, int MR, int NR> void multiply_series(const small_series *s) {
    constexpr int length = simd<T>::length;
    constexpr int most = MR / length;
    static constexpr small_tiles<T, most, NR> tiles;
    static constexpr small_tiles<T, 1, 2 * NR> rows_of_one;

    const series_fetch fetch(*s, sizeof(T));
    small_product each = s->first;
    const T *a = static_cast<const T *>(each.a);
    const T *b = static_cast<const T *>(each.b);
    T *d = static_cast<T *>(each.d);
    const auto next = [&](int64_t &i) {
        ++i;
        a += s->a_next;
        b += s->b_next;
        d += s->d_next;
    };

    const bool along_k = each.m == 1 && each.k >= length; // multiply_small looks further
    const int64_t vectors = divide_up(each.m, length);
    const auto last = first_lanes<T>(each.m - (vectors - 1) * length);
    if (!along_k && !fetch.line_by_line && each.m <= MR && each.n <= (vectors == 1 ? 2 * NR : NR)) {
        const auto tile =
            vectors == 1 ? rows_of_one.of[0][each.n - 1] : tiles.of[vectors - 1][each.n - 1];
        for (int64_t i = 0; i < s->count; next(i)) {
            fetch(i);
            tile(each, a, b, d, last, {});
        }
        return;
    }
    for (int64_t i = 0; i < s->count; next(i)) {
        each.a = a;
        each.b = b;
        each.d = d;
        fetch(i);
        if (fetch.line_by_line && !along_k)
            multiply_and_fetch<T, MR, NR>(
                each, vectors, last,
                fetched<T>::following({a, b, d}, s->a_next, s->b_next, s->d_next));
        else
            multiply_small<T, MR, NR>(&each);
    }
}

} // namespace
