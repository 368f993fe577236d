// Small real products: nothing is packed, and edges are parts of registers rather than padded. Each
// element of D is the same chain of FMAs as in the packed kernels.
#pragma once

#include <type_traits>

#include "gemm/kernels/level2_real.hpp"
#include "gemm/kernels/micro_kernel_real.hpp"

namespace {

/// Kernels<V, C>::multiply for tiles of V = 1..MV registers by C = 1..N columns.
template <class Function, template <int, int> class Kernels, int MV, int N> struct tile_table {
    Function of[MV][N];

    constexpr tile_table() : of{} { fill<MV, N>(); }

private:
    template <int V, int C> constexpr void fill() {
        of[V - 1][C - 1] = Kernels<V, C>::multiply;
        if constexpr (C > 1)
            fill<V, C - 1>();
        else if constexpr (V > 1)
            fill<V - 1, N>();
    }
};

/// What a tile asks memory for while it computes, beside its own operands; flags.
using fetch = int;
constexpr fetch nothing = 0;
constexpr fetch next_d = 1;     ///< D's tile, into L2
constexpr fetch next_part = 2;  ///< one register of each of A's columns
constexpr fetch next_a = 4;     ///< A's columns
constexpr fetch next_b = 8;     ///< B's columns, whose steps are adjacent
constexpr fetch next_line = 16; ///< into L2, a line of each matrix
constexpr fetch old_sums = 32;  ///< not fetched: adds what the steps before have summed
constexpr fetch next_run = 64;  ///< into L2, as many registers of column_runs as of A's columns
constexpr fetch one_line = 128; ///< into L2, a line of the matrix that takes A's place
template <class T> struct fetched {
    const T *a, *b, *d;

    /// Moves on by so many lines.
    void skip(int64_t lines) {
        const int64_t elements = lines * (64 / static_cast<int64_t>(sizeof(T)));
        a += elements;
        b += elements;
        d += elements;
    }
};

/// Columns that are fetched one after the other, each from its first register to its last.
struct column_runs {
    const char *next;
    int64_t left;      ///< registers from there to the column's end
    int64_t registers; ///< of a column
    int64_t between;   ///< bytes from a column's end to the next one's beginning

    /// Moves on by so many registers, but not past the next column's beginning.
    void skip(int64_t count) {
        next += count * register_bytes;
        left -= count;
        if (left <= 0) {
            next += between + left * register_bytes;
            left = registers;
        }
    }
};

template <class T> struct fetched_and_sums : fetched<T> {
    const T *sums; ///< of this tile; null: none
    int64_t sums_step;
    column_runs *runs;
};
template <class T, fetch What> using beside_tile =
    std::conditional_t<(What & old_sums) != 0, fetched_and_sums<T>, fetched<T>>;

/// How tiles take that. Those that fetch D write memory that is in no cache, and so do those of a
/// series: copying what is fetched takes a load as wide as two stores just before it, which cannot
/// be forwarded, and so waits for all earlier stores to D. The others are faster with a copy.
template <fetch What>
constexpr bool takes_reference = (What & (next_d | next_line | one_line)) != 0 || What == nothing;
template <class T, fetch What> using beside_argument =
    std::conditional_t<takes_reference<What>, const beside_tile<T, What> &, beside_tile<T, What>>;

template <class T> inline void fetch_lines(fetched<T> &next) {
    __builtin_prefetch(next.a, 0, 2);
    __builtin_prefetch(next.b, 0, 2);
    __builtin_prefetch(next.d, 0, 2);
    next.skip(1);
}

template <class T> inline void fetch_one_line(fetched<T> &next) {
    __builtin_prefetch(next.a, 0, 2);
    next.a += 64 / static_cast<int64_t>(sizeof(T));
}

/// A tile of D, into L2: a core waits for fewer lines of its L1 than memory needs under way.
template <int MV, int N, class T>
[[gnu::always_inline]] inline void fetch_output(const T *d, int64_t d_step) {
#pragma GCC unroll 16
    for (int j = 0; j < N; ++j)
#pragma GCC unroll 8
        for (int v = 0; v < MV; ++v)
            __builtin_prefetch(d + j * d_step + v * simd<T>::length, 0, 2);
}

/// Takes k steps, each of which fetches `parts` registers of the runs.
template <int parts, int in_a_row, class Step>
[[gnu::always_inline]] inline void step_and_fetch(int64_t k, column_runs &runs, const Step &step) {
    while (k > 0) {
        const int64_t to_end = (runs.left + parts - 1) / parts;
        const int64_t now = k < to_end ? k : to_end;
        const char *from = runs.next;
        repeat<in_a_row>(
            now, [&]() __attribute__((always_inline)) {
#pragma GCC unroll 8
                for (int v = 0; v < parts; ++v)
                    __builtin_prefetch(from + v * register_bytes, 0, 2);
                from += parts * register_bytes;
                step();
            });
        runs.skip(now * parts);
        k -= now;
    }
}

/// Divisions of 64 bits take longer than the smallest products.
inline int64_t divide_up(int64_t n, int64_t by) {
    return static_cast<int64_t>((static_cast<uint32_t>(n) + static_cast<uint32_t>(by) - 1) /
                                static_cast<uint32_t>(by));
}

/// Lines of B's next tile that L1 waits for at a time: more are fetched into L2 (docs/adr/0007).
constexpr int64_t most_lines_to_l1 = 44;

/// Takes all steps of a tile, and fetches the next lines of B's N columns or of the runs between
/// them, if What says so.
template <class T, int N, int parts, int in_a_row, fetch What, class Step>
[[gnu::always_inline]] inline void take_steps(const small_product &s, beside_tile<T, What> &next,
                                              const Step &step) {
    constexpr int line = 64 / static_cast<int>(sizeof(T)); // steps
    if constexpr (What & next_b) {
        static_assert((What & next_run) == 0);
        const bool to_l1 = N * divide_up(s.k, line) <= most_lines_to_l1;
        for (int64_t left = s.k; left > 0; left -= line) {
#pragma GCC unroll 16
            for (int j = 0; j < N; ++j) {
                if (to_l1)
                    __builtin_prefetch(next.b + j * s.b_step_n);
                else
                    __builtin_prefetch(next.b + j * s.b_step_n, 0, 2);
            }
            next.b += line * s.b_step_k;
            repeat<in_a_row>(left < line ? left : line, step);
        }
    } else if constexpr (What & next_run) {
        step_and_fetch<parts, in_a_row>(s.k, *next.runs, step);
    } else {
        repeat<in_a_row>(s.k, step);
    }
}

/// Adds the sums of the steps before, if there are any. The last register has `some` lanes.
template <class T, int MV, int N>
[[gnu::always_inline]] inline void add_old_sums(typename simd<T>::wide (&sum)[N][MV],
                                                const fetched_and_sums<T> &old,
                                                typename simd<T>::mask some) {
    constexpr int length = simd<T>::length;
    if (old.sums == nullptr)
        return;
#pragma GCC unroll 16
    for (int j = 0; j < N; ++j) {
        const T *column = old.sums + j * old.sums_step;
#pragma GCC unroll 8
        for (int v = 0; v + 1 < MV; ++v)
            sum[j][v] += load(column + v * length);
        sum[j][MV - 1] += load_part(column + (MV - 1) * length, some);
    }
}

/// One tile of MV whole registers by N columns, where parts of registers would cost more.
template <class T, int MV, int N, fetch What> [[gnu::noinline]] void
whole_tile(const small_product &s, const T *a, const T *b, T *d, beside_argument<T, What> beside) {
    beside_tile<T, What> next = beside;
    using wide = typename simd<T>::wide;
    constexpr int length = simd<T>::length;
    const int64_t a_step = s.a_step;
    const int64_t b_step_k = s.b_step_k;
    const int64_t b_step_n = s.b_step_n;
    const int64_t d_step = s.d_step;
    const T *const beta = static_cast<const T *>(s.beta);
    constexpr bool whole_lines = MV * register_bytes % 64 == 0;
    const bool streams = What & next_d && whole_lines && s.streams && *beta == 0;
    if constexpr (What & next_d)
        if (!streams)
            fetch_output<MV, N>(next.d, d_step);
    // Each register's last element: of lines that two registers share, the tile above has fetched
    // the first one's.
    constexpr int parts = What & next_a ? MV : What & next_part ? 1 : 0;
    // Opaque, so that each stays in a register of its own and in the addresses of every step.
    constexpr int group = N < 6 ? N : 6;
    int64_t to_column[group];
#pragma GCC unroll 8
    for (int j = 1; j < group; ++j) {
        int64_t bytes = j * b_step_n * static_cast<int64_t>(sizeof(T));
        __asm__("" : "+r"(bytes));
        to_column[j] = bytes;
    }
    const T *first[(N + group - 1) / group];
#pragma GCC unroll 4
    for (int g = 0; g * group < N; ++g)
        first[g] = b + g * group * b_step_n;
    const int64_t to_next = reinterpret_cast<intptr_t>(next.a) - reinterpret_cast<intptr_t>(a);

    wide sum[N][MV] = {};
    const auto step = [&]() __attribute__((always_inline)) {
        wide column[MV];
        if constexpr (What & next_line)
            fetch_lines(next);
        if constexpr (What & one_line)
            fetch_one_line(next);
#pragma GCC unroll 8
        for (int v = 0; v < parts; ++v)
            __builtin_prefetch(reinterpret_cast<const char *>(a + v * length + (length - 1)) +
                               to_next);
#pragma GCC unroll 8
        for (int v = 0; v < MV; ++v)
            column[v] = load(a + v * length);
#pragma GCC unroll 16
        for (int j = 0; j < N; ++j) {
            const T *from = first[j / group];
            if (j % group != 0)
                from = reinterpret_cast<const T *>(reinterpret_cast<const char *>(from) +
                                                   to_column[j % group]);
#pragma GCC unroll 8
            for (int v = 0; v < MV; ++v)
                sum[j][v] += column[v] * *from;
        }
        a += a_step;
        __asm__("" : "+r"(a));
#pragma GCC unroll 4
        for (int g = 0; g * group < N; ++g) {
            const T *from = first[g] + b_step_k;
            __asm__("" : "+r"(from));
            first[g] = from;
        }
    };
    take_steps<T, N, parts, steps_in_a_row<MV * N>, What>(s, next, step);
    if constexpr (What & old_sums)
        add_old_sums<T, MV, N>(sum, next, first_lanes<T>(length));
    update_whole<T, MV, N>(d, d_step, sum, *static_cast<const T *>(s.alpha), *beta, streams);
}

/// One tile of MV registers, the last of which has only `some` lanes, by N columns.
template <class T, int MV, int N, fetch What>
[[gnu::noinline]] void small_tile(const small_product &s, const T *a, factors<T> b, T *d,
                                  typename simd<T>::mask some, beside_argument<T, What> beside) {
    if constexpr (parts_cost_more)
        if (some == simd<T>::length)
            return whole_tile<T, MV, N, What>(s, a, b, d, beside);
    beside_tile<T, What> next = beside;
    using wide = typename simd<T>::wide;
    constexpr int length = simd<T>::length;
    const int64_t a_step = s.a_step;
    const int64_t b_step_k = s.b_step_k;
    const int64_t b_step_n = s.b_step_n;

    const T beta = *static_cast<const T *>(s.beta);
    const bool streams = What & next_d && register_bytes % 64 == 0 && s.streams && beta == 0;
    if constexpr (What & next_d)
        if (!streams)
            fetch_output<MV, N>(next.d, s.d_step);
    constexpr int parts = What & next_a ? MV : What & next_part ? 1 : 0;

    wide sum[N][MV] = {};
    const auto step = [&]() __attribute__((always_inline)) {
        wide column[MV];
        if constexpr (What & next_line)
            fetch_lines(next);
        if constexpr (What & one_line)
            fetch_one_line(next);
        if constexpr (parts > 0) {
#pragma GCC unroll 8
            for (int v = 0; v < parts; ++v)
                __builtin_prefetch(next.a + v * length + (length - 1));
            next.a += a_step;
        }
#pragma GCC unroll 8
        for (int v = 0; v + 1 < MV; ++v)
            column[v] = load(a + v * length);
        column[MV - 1] = load_part(a + (MV - 1) * length, some);
#pragma GCC unroll 16
        for (int j = 0; j < N; ++j)
#pragma GCC unroll 8
            for (int v = 0; v < MV; ++v)
                sum[j][v] += column[v] * b[j * b_step_n];
        a += a_step;
        b += b_step_k;
    };
    take_steps<T, N, parts, 1, What>(s, next, step);

    if constexpr (What & old_sums)
        add_old_sums<T, MV, N>(sum, next, some);
    const T alpha = *static_cast<const T *>(s.alpha);
    if constexpr (What & next_d && register_bytes % 64 == 0)
        if (streams && some == first_lanes<T>(length))
            return update_whole<T, MV, N>(d, s.d_step, sum, alpha, beta, streams);
#pragma GCC unroll 16
    for (int j = 0; j < N; ++j)
        update_column<T, MV>(d + j * s.d_step, sum[j], alpha, beta, some);
}

template <class T, fetch What>
using small_tile_function = void (*)(const small_product &, const T *, factors<T>, T *,
                                     typename simd<T>::mask, beside_argument<T, What>);

template <class T, fetch What> struct small_kernels {
    template <int V, int C> struct sized {
        static constexpr small_tile_function<T, What> multiply = small_tile<T, V, C, What>;
    };
};
/// The tiles of 1..MV registers by 1..N columns.
template <class T, int MV, int N, fetch What = nothing> using small_tiles =
    tile_table<small_tile_function<T, What>, small_kernels<T, What>::template sized, MV, N>;

} // namespace
