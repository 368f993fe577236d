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
struct series_fetch {
    const small_series &s;
    int64_t size;                   ///< bytes of an element
    int64_t ahead;                  ///< products
    bool fetches;                   ///< anything
    bool large;                     ///< neither A nor B is fetched at once
    bool a_moves, b_moves, d_moves; ///< from one product to the next
    bool a_lines, b_lines, d_lines;
    bool line_by_line; ///< some of their matrices, between multiply-adds
    bool run_by_run;   ///< all of them, between tiles: A or B is no single run
    bool d_at_once;

    series_fetch(const small_series &all, int64_t element) : s(all), size(element) {
        const small_product &p = all.first;
        const int64_t bytes = (p.m * p.k + p.k * p.n + p.m * p.n) * element;
        fetches = all.fetches_a || all.fetches_b || all.fetches_d;
        large = bytes > tenfold::gemm_impl::fetched_at_once;
        a_moves = moves({p.a, p.a, all.a_after, all.a_next});
        b_moves = moves({p.b, p.b, all.b_after, all.b_next});
        d_moves = moves({p.d, p.d, all.d_after, all.d_next});
        // Only whole runs of lines can be fetched one after the other.
        a_lines = all.fetches_a && a_moves && p.a_step == p.m;
        b_lines = all.fetches_b && b_moves &&
                  (p.b_step_k == 1 ? p.b_step_n == p.k : p.b_step_n == 1 && p.b_step_k == p.n);
        d_lines = all.fetches_d && d_moves && p.d_step == p.m;
        line_by_line = large && (a_lines || b_lines || d_lines);
        run_by_run = large && ((all.fetches_a && a_moves && !a_lines) ||
                               (all.fetches_b && b_moves && !b_lines));
        // Columns of A and B that are fetched at once wait for each other, and the product for
        // them. D's are written at its end.
        d_at_once =
            !large || (!d_lines && p.m * p.n * element <= tenfold::gemm_impl::fetched_at_once);
        ahead = tenfold::gemm_impl::products_ahead(bytes);
    }

    /// While the i-th product is computed. At the end of the series, the beginning of the one that
    /// follows is fetched.
    [[gnu::always_inline]] void operator()(int64_t i) const {
        const bool beyond = i + ahead >= s.count;
        if (!fetches || (beyond && s.a_after == nullptr))
            return;
        const small_product &p = s.first;
        const int64_t steps = beyond ? i + ahead - s.count : i + ahead;
        const auto at = [&](const void *x, const void *after, int64_t next) {
            return static_cast<const char *>(beyond ? after : x) + steps * next * size;
        };
        const auto moves = [&](const void *x, const void *after, int64_t next) {
            return next != 0 || (beyond && after != x);
        };
        const bool b_moves = !large && s.fetches_b && moves(p.b, s.b_after, s.b_next);
        if (!large && s.fetches_a && moves(p.a, s.a_after, s.a_next))
            fetch<0>(at(p.a, s.a_after, s.a_next), p.m, p.k, p.a_step, s.a_next);
        if (b_moves && p.b_step_k == 1)
            fetch<0>(at(p.b, s.b_after, s.b_next), p.k, p.n, p.b_step_n, s.b_next);
        else if (b_moves && p.b_step_n == 1)
            fetch<0>(at(p.b, s.b_after, s.b_next), p.n, p.k, p.b_step_k, s.b_next);
        if (d_at_once && s.fetches_d && moves(p.d, s.d_after, s.d_next))
            fetch<1>(at(p.d, s.d_after, s.d_next), p.m, p.n, p.d_step, s.d_next);
    }

    /// The matrices of the product after the i-th that are fetched line by line; others are
    /// replaced.
    template <class T> fetched<T> next_lines(int64_t i, const T *a, const T *b, const T *d) const {
        const int64_t parts = size / static_cast<int64_t>(sizeof(T)); // of a number
        const bool beyond = i + 1 >= s.count && s.a_after != nullptr;
        a = beyond ? static_cast<const T *>(s.a_after) : a + parts * s.a_next;
        b = beyond ? static_cast<const T *>(s.b_after) : b + parts * s.b_next;
        d = beyond ? static_cast<const T *>(s.d_after) : d + parts * s.d_next;
        const T *const any = b_lines ? b : a_lines ? a : d;
        return {a_lines ? a : any, b_lines ? b : any, d_lines ? d : any};
    }

    /// Of a matrix that is fetched line by line; 0 of others.
    int64_t lines(bool line_by_line, int64_t elements) const {
        return line_by_line ? elements * size / 64 + 1 : 0;
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
    runs next_a(int64_t i, const void *a) const {
        const small_product &p = s.first;
        return next_runs(i, {p.a, a, s.a_after, s.a_next}, s.fetches_a && a_moves,
                         {p.m, p.k, p.a_step});
    }
    runs next_b(int64_t i, const void *b) const {
        const small_product &p = s.first;
        const bool by_rows = p.b_step_n == 1;
        return next_runs(i, {p.b, b, s.b_after, s.b_next},
                         s.fetches_b && b_moves && (by_rows || p.b_step_k == 1),
                         by_rows ? placed{p.n, p.k, p.b_step_k} : placed{p.k, p.n, p.b_step_n});
    }
    runs next_d(int64_t i, const void *d) const {
        const small_product &p = s.first;
        return next_runs(i, {p.d, d, s.d_after, s.d_next}, d_lines, {p.m, p.n, p.d_step});
    }

private:
    /// One of the matrices: of the first product, of this one, and of the one after the series.
    struct series_of {
        const void *first, *now, *after;
        int64_t next;
    };
    bool moves(const series_of &x) const {
        return x.next != 0 || (s.count == 1 && x.after != nullptr && x.after != x.first);
    }
    struct placed {
        int64_t length, count, step;
    };
    runs next_runs(int64_t i, const series_of &x, bool wanted, const placed &in) const {
        const bool beyond = i + 1 >= s.count;
        if (!wanted || (beyond && x.after == nullptr) ||
            !tenfold::gemm_impl::fetches_runs(in.step * size, in.count))
            return {nullptr, 0, 0, 0};
        const auto *const from = static_cast<const char *>(beyond ? x.after : x.now);
        return {from + (beyond ? 0 : x.next * size), in.length * size, in.count, in.step * size};
    }
    template <int writes> [[gnu::always_inline]] void
    fetch(const char *from, int64_t rows, int64_t columns, int64_t step, int64_t following) const {
        if (tenfold::gemm_impl::fetches_runs(step * size, columns))
            fetch_matrix<writes>(from, rows * size, columns, step * size, following * size);
    }
};

/// Lets tiles, evenly spread, fetch the lines of the next product's matrices: one of each in each
/// step, and when only the longest is left, its lines alone, for a step has few load slots to
/// spare. Where k is so short that there are fewer steps than lines, the others are fetched before
/// the tiles.
template <class T, int MV, int N> class fetch_in_tiles {
public:
    fetch_in_tiles(const series_fetch &fetch, const fetched<T> &next, int64_t all_tiles)
        : lines_of_tile_(fetch.s.first.k), all_tiles_(all_tiles),
          spread_(all_tiles - 1) { // the first one fetches
        const small_product &p = fetch.s.first;
        run a{next.a, fetch.lines(fetch.a_lines, p.m * p.k)};
        run b{next.b, fetch.lines(fetch.b_lines, p.k * p.n)};
        run d{next.d, fetch.lines(fetch.d_lines, p.m * p.n)};
        longer_first(a, b);
        longer_first(b, d);
        longer_first(a, b);
        next_ = {a.from, b.from, d.from};
        fetching_tiles_ = divide_up(a.lines, p.k);
        of_each_ = divide_up(b.lines, p.k);
        before_tile_ = a.lines > all_tiles * p.k ? divide_up(a.lines, all_tiles) - p.k : 0;
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
    multiply_tile_by_tile<T, MR, NR>(s, vectors, last,
                                     fetch_between_tiles<T, most, NR>(fetch.next_a(i, s.a),
                                                                      fetch.next_b(i, s.b),
                                                                      fetch.next_d(i, s.d), tiles));
}

template <class T, int MR, int NR>
[[gnu::noinline]] void multiply_and_fetch(const small_product &s, int64_t vectors,
                                          typename simd<T>::mask last, const series_fetch &fetch,
                                          const fetched<T> &next) {
    constexpr int most = MR / simd<T>::length;
    const int64_t tiles = divide_up(vectors, most) * divide_up(s.n, NR);
    multiply_tile_by_tile<T, MR, NR>(s, vectors, last,
                                     fetch_in_tiles<T, most, NR>(fetch, next, tiles));
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
