// Series of small real products: what follows is fetched while a product is computed
// (docs/adr/0023).
#pragma once

#include "gemm/kernels/small_product.hpp"

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
class series_fetch {
    /// One of the matrices of all products, in bytes.
    struct matrix {
        const char *first, *after; ///< the first product's; that of the one after the series
        int64_t next;              ///< from one product to the next
        int64_t length, count, step;
        bool at_once;  ///< fetched before a product
        bool by_lines; ///< between multiply-adds: it is one run
        bool by_runs;  ///< between tiles

        /// Returns true if the one that is fetched is another one than now; `beyond`: it is that
        /// after the series.
        bool moves(bool beyond) const { return next != 0 || (beyond && after != first); }
        int64_t lines() const { return by_lines ? length * count / 64 + 1 : 0; }
    };

public:
    bool large;        ///< neither A nor B is fetched at once
    bool line_by_line; ///< some of their matrices, between multiply-adds
    bool run_by_run; ///< all of them, between tiles: A or B has runs to fetch, and is no single one
    matrix a, b, d;

    series_fetch(const small_series &all, int64_t element)
        : count_(all.count), follows_(all.a_after != nullptr) {
        using tenfold::gemm_impl::fetched_at_once;
        const small_product &p = all.first;
        const int64_t bytes = (p.m * p.k + p.k * p.n + p.m * p.n) * element;
        large = bytes > fetched_at_once;
        set(a, {p.a, all.a_after, all.a_next, all.fetches_a}, runs_of_a(p), element);
        set(b, {p.b, all.b_after, all.b_next, all.fetches_b}, runs_of_b(p), element);
        set(d, {p.d, all.d_after, all.d_next, all.fetches_d}, runs_of_d(p), element);
        line_by_line = large && (a.by_lines || b.by_lines || d.by_lines);
        run_by_run = large && ((a.by_runs && !a.by_lines) || (b.by_runs && !b.by_lines));
        // Columns of A and B that are fetched at once wait for each other, and the product for
        // them. D's are written at its end.
        if (large && !d.by_lines && p.m * p.n * element <= fetched_at_once)
            d.at_once = all.fetches_d && fetches_runs(runs_of_d(p), element);
        d.by_runs = d.by_runs && d.by_lines;
        fetches_ = a.at_once || b.at_once || d.at_once;
        ahead_ = tenfold::gemm_impl::products_ahead(bytes);
    }

    /// While the i-th product is computed. At the end of the series, the beginning of the one that
    /// follows is fetched.
    [[gnu::always_inline]] void operator()(int64_t i) const {
        const bool beyond = i + ahead_ >= count_;
        if (!fetches_ || (beyond && !follows_))
            return;
        const int64_t steps = beyond ? i + ahead_ - count_ : i + ahead_;
        fetch<0>(a, steps, beyond);
        fetch<0>(b, steps, beyond);
        fetch<1>(d, steps, beyond);
    }

    /// The matrices of the product after the i-th that are fetched line by line; others are
    /// replaced.
    template <class T>
    fetched<T> next_lines(int64_t i, const T *now_a, const T *now_b, const T *now_d) const {
        const T *const next_a = after(i, a, now_a);
        const T *const next_b = after(i, b, now_b);
        const T *const next_d = after(i, d, now_d);
        const T *const any = b.by_lines ? next_b : a.by_lines ? next_a : next_d;
        return {a.by_lines ? next_a : any, b.by_lines ? next_b : any, d.by_lines ? next_d : any};
    }

    /// Rows or columns of a matrix of the next product.
    struct runs {
        const char *from;
        int64_t bytes, left, step; ///< of each; how many; bytes from one to the next

        template <int writes> [[gnu::always_inline]] void fetch(int64_t count) {
            count = count < left ? count : left;
            if (count > 0)
                fetch_matrix<writes>(from, bytes, count, step, 0);
            from += count * step;
            left -= count;
        }
    };
    /// Those of one of a, b and d in the product after the i-th, whose own is `now`.
    runs next_runs(int64_t i, const matrix &x, const void *now) const {
        if (!x.by_runs || (i + 1 >= count_ && !follows_))
            return {nullptr, 0, 0, 0};
        return {after(i, x, static_cast<const char *>(now)), x.length, x.count, x.step};
    }

private:
    struct given {
        const void *first, *after;
        int64_t next; ///< elements
        bool fetched;
    };
    /// Sets each field where it stays: a copy of all would wait until they have left the core's
    /// buffer of stores.
    void set(matrix &x, const given &from, const tenfold::gemm_impl::adjoining_runs &in,
             int64_t element) const {
        x.first = static_cast<const char *>(from.first);
        x.after = static_cast<const char *>(from.after);
        x.next = from.next * element;
        x.length = in.length * element;
        x.count = in.count;
        x.step = in.step * element;
        const bool wanted = from.fetched && in.count > 0 && x.moves(count_ == 1 && follows_);
        x.at_once = from.fetched && !large && fetches_runs(in, element);
        // Only whole runs of lines can be fetched one after the other.
        x.by_lines = wanted && in.step == in.length;
        x.by_runs = wanted && fetches_runs(in, element);
    }

    template <class T> const T *after(int64_t i, const matrix &x, const T *now) const {
        return i + 1 >= count_ && follows_
                   ? reinterpret_cast<const T *>(x.after)
                   : reinterpret_cast<const T *>(reinterpret_cast<const char *>(now) + x.next);
    }
    template <int writes>
    [[gnu::always_inline]] static void fetch(const matrix &x, int64_t steps, bool beyond) {
        if (x.at_once && x.moves(beyond))
            fetch_matrix<writes>((beyond ? x.after : x.first) + steps * x.next, x.length, x.count,
                                 x.step, x.next);
    }

    int64_t count_; ///< products
    int64_t ahead_; ///< products
    bool follows_;  ///< another series
    bool fetches_;  ///< anything at once
};

/// Lets tiles, evenly spread, fetch the lines of the next product's matrices: one of each in each
/// step, and when only the longest is left, its lines alone, for a step has few load slots to
/// spare. Where k is so short that there are fewer steps than lines, the others are fetched before
/// the tiles.
template <class T, int MV, int N> class fetch_in_tiles {
public:
    fetch_in_tiles(const series_fetch &fetch, const fetched<T> &next, int64_t k, int64_t all_tiles)
        : lines_of_tile_(k), all_tiles_(all_tiles),
          spread_(all_tiles - 1) { // the first one fetches
        run a{next.a, fetch.a.lines()};
        run b{next.b, fetch.b.lines()};
        run d{next.d, fetch.d.lines()};
        longer_first(a, b);
        longer_first(b, d);
        longer_first(a, b);
        next_ = {a.from, b.from, d.from};
        fetching_tiles_ = divide_up(a.lines, k);
        of_each_ = divide_up(b.lines, k);
        before_tile_ = a.lines > all_tiles * k ? divide_up(a.lines, all_tiles) - k : 0;
    }

    /// The next tile, which fetches lines().
    small_tile_function<T, nothing> tile(int64_t vectors, int64_t columns) {
        static constexpr small_tiles<T, MV, N> fetching_nothing;
        static constexpr small_tiles<T, MV, N, one_line> fetching_one;
        static constexpr small_tiles<T, MV, N, next_line> fetching_each;
        spread_ += fetching_tiles_;
        fetches_ = spread_ >= all_tiles_;
        if (!fetches_)
            return fetching_nothing.of[vectors - 1][columns - 1];
        spread_ -= all_tiles_;
        for (int64_t line = 0; line < before_tile_; ++line)
            fetch_one_line(next_);
        return (--of_each_ < 0 ? fetching_one.of : fetching_each.of)[vectors - 1][columns - 1];
    }
    const fetched<T> &lines() const { return next_; }
    void after_tile() {
        if (fetches_)
            next_.skip(lines_of_tile_);
    }

private:
    struct run {
        const T *from;
        int64_t lines;
    };
    static void longer_first(run &x, run &y) {
        if (x.lines < y.lines) {
            const run longer = y;
            y = x;
            x = longer;
        }
    }

    fetched<T> next_; ///< the longest in A's place
    int64_t lines_of_tile_;
    int64_t all_tiles_, fetching_tiles_;
    int64_t of_each_;     ///< tiles that still fetch lines of each
    int64_t before_tile_; ///< lines of the longest
    int64_t spread_;
    bool fetches_ = false;
};

/// Lets the pauses between tiles fetch the next product's matrices, rows or columns evenly spread:
/// hardware follows neither runs of a few lines nor many side by side.
template <class T, int MV, int N> class fetch_between_tiles {
public:
    using runs = series_fetch::runs;
    fetch_between_tiles(const runs &a, const runs &b, const runs &d, int64_t all_tiles)
        : a_(a), b_(b), d_(d), of_a_(divide_up(a.left, all_tiles)),
          of_b_(divide_up(b.left, all_tiles)), of_d_(divide_up(d.left, all_tiles)) {}

    small_tile_function<T, nothing> tile(int64_t vectors, int64_t columns) {
        a_.template fetch<0>(of_a_);
        b_.template fetch<0>(of_b_);
        d_.template fetch<1>(of_d_);
        return fetch_nothing<T, MV, N>::tiles.of[vectors - 1][columns - 1];
    }
    fetched<T> lines() const { return {}; }
    void after_tile() const {}

private:
    runs a_, b_, d_;
    int64_t of_a_, of_b_, of_d_; ///< before each tile
};

template <class T, int MR, int NR>
[[gnu::noinline]] void multiply_and_fetch_runs(const small_product &s, int64_t vectors,
                                               typename simd<T>::mask last,
                                               const series_fetch &fetch, int64_t i) {
    constexpr int most = MR / simd<T>::length;
    const int64_t tiles = divide_up(vectors, most) * divide_up(s.n, NR);
    multiply_tile_by_tile<T, MR, NR>(
        s, vectors, last,
        fetch_between_tiles<T, most, NR>(fetch.next_runs(i, fetch.a, s.a),
                                         fetch.next_runs(i, fetch.b, s.b),
                                         fetch.next_runs(i, fetch.d, s.d), tiles));
}

template <class T, int MR, int NR>
[[gnu::noinline]] void multiply_and_fetch(const small_product &s, int64_t vectors,
                                          typename simd<T>::mask last, const series_fetch &fetch,
                                          const fetched<T> &next) {
    constexpr int most = MR / simd<T>::length;
    const int64_t tiles = divide_up(vectors, most) * divide_up(s.n, NR);
    multiply_tile_by_tile<T, MR, NR>(s, vectors, last,
                                     fetch_in_tiles<T, most, NR>(fetch, next, s.k, tiles));
}

/// Products of one register, of which `some` lanes are rows, by N columns: one call for all of
/// them, whose multiply-adds overlap.
template <class T, int N>
[[gnu::noinline]] void narrow_series(const small_series &s, typename simd<T>::mask some) {
    using wide = typename simd<T>::wide;
    const small_product &p = s.first;
    const series_fetch fetch(s, sizeof(T));
    const T alpha = *static_cast<const T *>(p.alpha);
    const T later_beta = *static_cast<const T *>(s.later_beta);
    T beta = *static_cast<const T *>(p.beta);
    const int64_t a_step = p.a_step;
    const int64_t b_step_k = p.b_step_k;
    const int64_t b_step_n = p.b_step_n;
    const T *a = static_cast<const T *>(p.a);
    const T *b = static_cast<const T *>(p.b);
    T *d = static_cast<T *>(p.d);
    for (int64_t i = 0; i < s.count; ++i, a += s.a_next, b += s.b_next, d += s.d_next) {
        fetch(i);
        wide sum[N][1] = {};
        const T *column = a;
        factors<T> row = b;
        for (int64_t k = p.k; k > 0; --k, column += a_step, row += b_step_k) {
            const wide part = load_part(column, some);
#pragma GCC unroll 16
            for (int j = 0; j < N; ++j)
                sum[j][0] += part * row[j * b_step_n];
        }
#pragma GCC unroll 16
        for (int j = 0; j < N; ++j)
            update_column<T, 1>(d + j * p.d_step, sum[j], alpha, beta, some);
        beta = later_beta;
    }
}

template <class T> struct narrow_kernels {
    template <int V, int C> struct sized {
        static constexpr void (*multiply)(const small_series &,
                                          typename simd<T>::mask) = narrow_series<T, C>;
    };
};

/// Where a product is one tile, its function is looked up once for all.
template <class T, int MR, int NR> void multiply_series(const small_series *s) {
    constexpr int length = simd<T>::length;
    constexpr int most = MR / length;
    static constexpr small_tiles<T, most, NR> tiles;
    static constexpr small_tiles<T, 1, 2 * NR> rows_of_one;
    static constexpr tile_table<void (*)(const small_series &, typename simd<T>::mask),
                                narrow_kernels<T>::template sized, 1, NR>
        narrow;

    const series_fetch fetch(*s, sizeof(T));
    small_product each = s->first;
    const T *a = static_cast<const T *>(each.a);
    const T *b = static_cast<const T *>(each.b);
    T *d = static_cast<T *>(each.d);
    const auto next = [&](int64_t &i) {
        ++i;
        each.beta = s->later_beta;
        a += s->a_next;
        b += s->b_next;
        d += s->d_next;
    };

    const bool along_k = each.m == 1 && each.k >= length; // multiply_small looks further
    const int64_t vectors = divide_up(each.m, length);
    const auto last = first_lanes<T>(each.m - (vectors - 1) * length);
    if (!along_k && !fetch.large && vectors == 1 && each.n <= NR)
        return narrow.of[0][each.n - 1](*s, last);
    if (!along_k && !fetch.line_by_line && !fetch.run_by_run && each.m <= MR &&
        each.n <= (vectors == 1 ? 2 * NR : NR)) {
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
        if (along_k || (!fetch.line_by_line && !fetch.run_by_run))
            multiply_small<T, MR, NR>(&each);
        else
            with_largest_tile<T, MR, NR>(vectors, [&](auto tile) {
                if (fetch.run_by_run)
                    multiply_and_fetch_runs<T, tile.rows, tile.columns>(each, vectors, last, fetch,
                                                                        i);
                else
                    multiply_and_fetch<T, tile.rows, tile.columns>(each, vectors, last, fetch,
                                                                   fetch.next_lines<T>(i, a, b, d));
            });
    }
}

} // namespace
