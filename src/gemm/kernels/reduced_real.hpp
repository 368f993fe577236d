// Sums of small real products: the accumulators stay in registers over all of them. Reads where
// the matrices lie, with edges of parts of registers, like small_real.hpp.
#pragma once

#include "gemm/kernels/series.hpp"

namespace {

using tenfold::gemm_impl::adjoining_runs;

/// Fetches what a tile reads of a matrix that follows, from an element on.
template <class T> [[gnu::always_inline]] inline void
fetch_following(const void *now, const void *later, int64_t from, adjoining_runs runs) {
    constexpr int64_t size = sizeof(T);
    if (later != now)
        fetch_matrix<0>(static_cast<const char *>(later) + from * size, runs.length * size,
                        runs.count, runs.step * size, 0);
}

/// Steps whose lines a tile fetches at a time, of terms that are so long that counting them costs
/// less than the tile would wait for a whole term's lines (docs/adr/0023).
constexpr int64_t steps_at_a_time = 4;
constexpr int64_t long_term = 4 * steps_at_a_time;

/// Fetches what a tile of MV registers by N columns reads of A and B of a long term that follows, a
/// few steps at a time: all lines at once would occupy the core's line fill buffers, and the
/// multiply-adds of the term before wait for them.
template <class T, int MV, int N> class fetched_steps {
public:
    /// The matrices from the tile's first row and column on; null: it is not fetched.
    fetched_steps(const T *a, const T *b, const small_product &like)
        : a_(reinterpret_cast<const char *>(a)), b_(reinterpret_cast<const char *>(b)),
          steps_(like.k), a_step_(like.a_step * size), b_step_(like.b_step_k * size),
          b_columns_(like.b_step_n * size) {}

    /// What the steps from `p` on read, a multiple of steps_at_a_time. B's rows, or its columns,
    /// have adjacent elements.
    [[gnu::always_inline]] void fetch(int64_t p) const {
        const int64_t count = steps_ - p < steps_at_a_time ? steps_ - p : steps_at_a_time;
        if (a_ != nullptr)
            fetch_matrix<0>(a_ + p * a_step_, MV * simd<T>::length * size, count, a_step_, 0);
        if (b_ != nullptr && b_columns_ == size)
            fetch_matrix<0>(b_ + p * b_step_, N * size, count, b_step_, 0);
        else if (b_ != nullptr) {
            if (p * size % line == 0)
                fetch_row(p);
            if (p + count == steps_) // which may lie on a line more
                fetch_row(steps_ - 1);
        }
    }

private:
    [[gnu::always_inline]] void fetch_row(int64_t p) const {
        for (int64_t j = 0; j < N; ++j)
            __builtin_prefetch(b_ + j * b_columns_ + p * size);
    }

    static constexpr int64_t size = sizeof(T);
    static constexpr int64_t line = line_runs::line;
    const char *a_, *b_;
    int64_t steps_, a_step_, b_step_, b_columns_; ///< bytes
};

/// When a tile fetches what follows.
enum class fetched_by { terms, steps };

/// One tile of MV registers, the last of which has only `some` lanes, by N columns, which starts
/// at (row, column).
template <class T, int MV, int N, fetched_by by> [[gnu::noinline]] void
reduced_tile(const reduced_product &r, int64_t row, int64_t column, typename simd<T>::mask some) {
    using wide = typename simd<T>::wide;
    constexpr int length = simd<T>::length;
    const small_product &s = r.each;
    const int64_t a_step = s.a_step;
    const int64_t b_step_k = s.b_step_k;
    const int64_t b_step_n = s.b_step_n;
    const int64_t b_offset = r.b_offset + column * b_step_n;
    const bool fetches_a = column == 0 && r.fetches_a;
    const bool fetches_b = row == 0 && r.fetches_b;

    wide sum[N][MV] = {};
    for (int64_t i = 0; i < r.count; ++i) {
        const T *a = static_cast<const T *>(r.a[i]) + row;
        factors<T> b = static_cast<const T *>(r.b[i]) + b_offset;
        const auto add_steps = [&](int64_t count) __attribute__((always_inline)) {
            for (; count > 0; --count) {
                wide part[MV];
#pragma GCC unroll 8
                for (int v = 0; v + 1 < MV; ++v)
                    part[v] = load(a + v * length);
                part[MV - 1] = load_part(a + (MV - 1) * length, some);
#pragma GCC unroll 16
                for (int j = 0; j < N; ++j)
#pragma GCC unroll 8
                    for (int v = 0; v < MV; ++v)
                        sum[j][v] += part[v] * b[j * b_step_n];
                a += a_step;
                b += b_step_k;
            }
        };
        if constexpr (by == fetched_by::steps) {
            const auto following = [&](bool fetched, const void *const *matrices, int64_t from) {
                const void *const later = matrices[i + r.following];
                return fetched && later != matrices[i] ? static_cast<const T *>(later) + from
                                                       : nullptr;
            };
            const fetched_steps<T, MV, N> next(following(fetches_a, r.a, row),
                                               following(fetches_b, r.b, b_offset), s);
            for (int64_t p = 0; p < s.k; p += steps_at_a_time) {
                next.fetch(p);
                add_steps(s.k - p < steps_at_a_time ? s.k - p : steps_at_a_time);
            }
        } else {
            if (fetches_a)
                fetch_following<T>(r.a[i], r.a[i + r.following], row, {length * MV, s.k, a_step});
            if (fetches_b)
                fetch_following<T>(r.b[i], r.b[i + r.following], b_offset,
                                   b_step_n == 1 ? adjoining_runs{N, s.k, b_step_k}
                                                 : adjoining_runs{s.k, N, b_step_n});
            add_steps(s.k);
        }
    }

    const T alpha = *static_cast<const T *>(s.alpha);
    const T beta = *static_cast<const T *>(s.beta);
    T *d = static_cast<T *>(s.d) + row + column * s.d_step;
#pragma GCC unroll 16
    for (int j = 0; j < N; ++j, d += s.d_step) {
#pragma GCC unroll 8
        for (int v = 0; v < MV; ++v)
            sum[j][v] = rounded(alpha * sum[j][v]);
        if (beta != 0) {
#pragma GCC unroll 8
            for (int v = 0; v + 1 < MV; ++v)
                sum[j][v] += beta * load(d + v * length);
            sum[j][MV - 1] += beta * load_part(d + (MV - 1) * length, some);
        }
#pragma GCC unroll 8
        for (int v = 0; v + 1 < MV; ++v)
            store(d + v * length, sum[j][v]);
        store_part(d + (MV - 1) * length, some, sum[j][MV - 1]);
    }
}

template <class T> using reduced_tile_function = void (*)(const reduced_product &, int64_t, int64_t,
                                                          typename simd<T>::mask);

template <class T, fetched_by by> struct reduced_kernels {
    template <int V, int C> struct sized {
        static constexpr reduced_tile_function<T> multiply = reduced_tile<T, V, C, by>;
    };
};
/// The tiles of 1..MV registers by 1..N columns.
template <class T, int MV, int N, fetched_by by> using reduced_tiles =
    tile_table<reduced_tile_function<T>, reduced_kernels<T, by>::template sized, MV, N>;

/// Tiles of nearly equal size, as in multiply_small.
template <class T, int MR, int NR> void multiply_reduced(const reduced_product *r) {
    constexpr int length = simd<T>::length;
    constexpr int most = MR / length;
    static constexpr reduced_tiles<T, most, NR, fetched_by::terms> tiles;
    static constexpr reduced_tiles<T, most, NR, fetched_by::steps> fetching_by_steps;

    const int64_t vectors = divide_up(r->each.m, length);
    const auto last = first_lanes<T>(r->each.m - (vectors - 1) * length);
    const auto all = first_lanes<T>(length);
    int64_t column = 0;
    for (int64_t y = divide_up(r->each.n, NR); y > 0; --y) {
        const int64_t n = divide_up(r->each.n - column, y);
        int64_t vector = 0;
        for (int64_t x = divide_up(vectors, most); x > 0; --x) {
            const int64_t v = divide_up(vectors - vector, x);
            const bool fetches = (column == 0 && r->fetches_a) || (vector == 0 && r->fetches_b);
            const auto &of = fetches && r->each.k >= long_term ? fetching_by_steps.of : tiles.of;
            of[v - 1][n - 1](*r, vector * length, column, x == 1 ? last : all);
            vector += v;
        }
        column += n;
    }
}

} // namespace
