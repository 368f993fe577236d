// The real micro-kernel: MV registers by N columns of accumulators, updated by one rank-1 step of
// A's column and B's row after the other.
#pragma once

#include "gemm/kernels/assembled_steps.hpp"
#include "gemm/kernels/simd.hpp"

namespace {

/// Steps of k between two branches, for tiles of so many FMAs a step. Twelve of them keep two units
/// busy for six cycles, in which a core that another hardware thread shares starts 18 to 20
/// instructions: what counts and branches must then not be among them at every step.
template <int multiply_adds> constexpr int steps_in_a_row = multiply_adds < 24 ? 4 : 1;

/// step() `count` times, `in_a_row` of them between two branches.
template <int in_a_row, class Step>
[[gnu::always_inline]] inline void repeat(int64_t count, const Step &step) {
    if constexpr (in_a_row > 1) {
        for (int64_t rounds = count / in_a_row; rounds > 0; --rounds) {
#pragma GCC unroll 8
            for (int i = 0; i < in_a_row; ++i)
                step();
        }
        count %= in_a_row;
    }
    for (; count > 0; --count)
        step();
}

/// Stores a delayed tile of N columns of MV registers past the caches, and does something after
/// each register.
template <class T, int MV, int N, class Then>
[[gnu::always_inline]] inline void store_tile(const delayed_tile &tile, const Then &then) {
    const T *from = reinterpret_cast<const T *>(tile.lines);
    T *to = static_cast<T *>(tile.d);
    for (int j = 0; j < N; ++j, to += tile.column_stride)
        for (int v = 0; v < MV; ++v, from += simd<T>::length) {
            stream(to + v * simd<T>::length, load(from));
            then();
        }
}

/// step() `count` times; meanwhile stores the delayed tile, if there is one, and prefetches what
/// follows, line by line with the same number of steps after each. What is prefetched comes first,
/// all at once, if there are too few steps.
template <class T, int MV, int N, class Step> [[gnu::always_inline]] inline void
repeat_beside(int64_t count, const micro_tile &t, const delayed_tile *before, const Step &step) {
    const int64_t stores = before != nullptr ? MV * N : 0;
    int64_t from_a = t.next_a.count, from_b = t.next_b.count;
    if (stores + from_a + from_b > count) {
        prefetch(t.next_a);
        prefetch(t.next_b);
        from_a = from_b = 0;
    }
    const int64_t lines = stores + from_a + from_b;
    const int64_t apart = lines > 0 ? count / lines : 0; // steps
    const auto some_steps = [&]() __attribute__((always_inline)) {
        for (int64_t i = apart; i > 0; --i)
            step();
    };
    const auto fetch = [&](line_runs * of, int64_t left) __attribute__((always_inline)) {
        if (left == 0)
            return;
        line_runs runs = *of;
        for (; left > 0; --left) {
            prefetch_next(runs);
            some_steps();
        }
        *of = runs;
    };
    if (before != nullptr)
        store_tile<T, MV, N>(*before, some_steps);
    fetch(t.next_a.of, from_a);
    fetch(t.next_b.of, from_b);
    for (count -= apart * lines; count > 0; --count)
        step();
}

/// d = tile + beta d where D's rows are strided or the tile is cut; `tile` is alpha A B, column
/// after column, `height` apart.
template <class T>
[[gnu::noinline]] void update_real(const micro_tile &t, const T *tile, int64_t height) {
    const T beta = *static_cast<const T *>(t.beta);
    for (int64_t j = 0; j < t.n; ++j, tile += height) {
        T *d = static_cast<T *>(t.d) + j * t.column_stride;
        if (beta == 0) {
            if (t.row_stride == 1)
                for (int64_t i = 0; i < t.m; ++i)
                    d[i] = tile[i];
            else
                for (int64_t i = 0; i < t.m; ++i)
                    d[i * t.row_stride] = tile[i];
        } else if (t.row_stride == 1) {
            for (int64_t i = 0; i < t.m; ++i)
                d[i] = tile[i] + beta * d[i];
        } else {
            for (int64_t i = 0; i < t.m; ++i)
                d[i * t.row_stride] = tile[i] + beta * d[i * t.row_stride];
        }
    }
}

/// d = alpha sum + beta d, MV registers of adjacent rows, the last one cut.
template <class T, int MV> inline void update_column(T *d, const typename simd<T>::wide *sum,
                                                     T alpha, T beta, typename simd<T>::mask some) {
    constexpr int length = simd<T>::length;
    typename simd<T>::wide value[MV];
#pragma GCC unroll 8
    for (int v = 0; v < MV; ++v)
        value[v] = rounded(alpha * sum[v]);
    if (beta != 0) {
#pragma GCC unroll 8
        for (int v = 0; v + 1 < MV; ++v)
            value[v] += beta * load(d + v * length);
        value[MV - 1] += beta * load_part(d + (MV - 1) * length, some);
    }
#pragma GCC unroll 8
    for (int v = 0; v + 1 < MV; ++v)
        store(d + v * length, value[v]);
    store_part(d + (MV - 1) * length, some, value[MV - 1]);
}

template <class T> inline bool lies_on_registers(const T *d, int64_t column_stride) {
    return reinterpret_cast<uintptr_t>(d) % register_bytes == 0 &&
           column_stride % simd<T>::length == 0;
}

/// d = alpha sum + beta d, N columns of MV registers, past the cache if it `streams` and beta = 0.
template <class T, int MV, int N>
[[gnu::always_inline]] inline void update_whole(T *d, int64_t column_stride,
                                                const typename simd<T>::wide (&sum)[N][MV], T alpha,
                                                T beta, bool streams) {
    constexpr int length = simd<T>::length;
    if (beta == 0 && streams) {
#pragma GCC unroll 16
        for (int j = 0; j < N; ++j)
#pragma GCC unroll 8
            for (int v = 0; v < MV; ++v)
                stream(d + j * column_stride + v * length, alpha * sum[j][v]);
    } else if (beta == 0) {
#pragma GCC unroll 16
        for (int j = 0; j < N; ++j)
#pragma GCC unroll 8
            for (int v = 0; v < MV; ++v)
                store(d + j * column_stride + v * length, alpha * sum[j][v]);
    } else {
#pragma GCC unroll 16
        for (int j = 0; j < N; ++j)
#pragma GCC unroll 8
            for (int v = 0; v < MV; ++v) {
                T *at = d + j * column_stride + v * length;
                store(at, axpby(alpha, sum[j][v], beta, load(at)));
            }
    }
}

/// The tile of up to MV registers by exactly N columns. Packed micro-panels have a_step = MR and
/// lie NR apart in B, as constants: addressing then costs no instruction. If it `fetches`, it does
/// what multiply_fetching does.
template <class T, int MR, int NR, int MV, int N, bool packed, bool fetches = false>
[[gnu::noinline]] void tile_real(const micro_tile &t) {
    using wide = typename simd<T>::wide;
    constexpr int length = simd<T>::length;
    const T *a = static_cast<const T *>(t.a);
    factors<T, packed> b = static_cast<const T *>(t.b);
    T *d = static_cast<T *>(t.d);
    const int64_t a_step = packed ? MR : t.a_step;
    const int64_t b_step_k = packed ? NR : t.b_step_k;
    const int64_t b_step_n = packed ? 1 : t.b_step_n;
    const bool whole = t.row_stride == 1 && t.m == MV * length;

    // D is used once, after k steps. Fetched any earlier it leaves L1 again before that, with A
    // passing through.
    constexpr int64_t early = 96; // steps: longer than memory takes
    const bool streams = t.streams && whole && lies_on_registers(d, t.column_stride);
    const int64_t time_for_d = streams || t.row_stride != 1 ? 0 : t.k < early ? t.k : early;
    constexpr bool assembled = packed && steps_are_assembled<MV, N>;
    constexpr bool has_beside = fetches && !assembled;
    const bool delays = has_beside && streams && t.delayed != nullptr && t.k >= MV * N &&
                        *static_cast<const T *>(t.beta) == 0;
    wide sum[N][MV] = {};
    const auto step = [&]() __attribute__((always_inline)) {
        wide column[MV];
#pragma GCC unroll 8
        for (int v = 0; v < MV; ++v)
            column[v] = load(a + v * length);
#pragma GCC unroll 16
        for (int j = 0; j < N; ++j)
#pragma GCC unroll 8
            for (int v = 0; v < MV; ++v)
                sum[j][v] += column[v] * b[j * b_step_n];
        a += a_step;
        b += b_step_k;
    };
    [[maybe_unused]] std::conditional_t<fetches && assembled, step_place, const micro_tile &> at(t);
    const auto steps = [&](int64_t count) __attribute__((always_inline)) {
        if constexpr (fetches && assembled)
            fetching_steps<T>(count, at, sum);
        else if constexpr (assembled)
            assembled_steps<T>(count, a, b, sum);
        else
            repeat<steps_are_assembled<MV, N> ? 1 : steps_in_a_row<MR / length * NR>>(count, step);
    };
    const auto fetch_d = [&]() __attribute__((always_inline)) {
#pragma GCC unroll 16
        for (int j = 0; j < N; ++j)
#pragma GCC unroll 8
            for (int v = 0; v < MV; ++v)
                __builtin_prefetch(d + j * t.column_stride + v * length, 1);
    };
    if constexpr (has_beside) {
        const delayed_tile *before = delays && t.delayed->d != nullptr ? t.delayed : nullptr;
        // All steps have what follows beside them if those before D's prefetch are too few.
        const bool at_once = time_for_d > 0 && t.k - time_for_d < t.next_a.count + t.next_b.count;
        if (at_once)
            fetch_d();
        repeat_beside<T, MV, N>(at_once ? t.k : t.k - time_for_d, t, before, step);
        if (time_for_d > 0 && !at_once) {
            fetch_d();
            steps(time_for_d);
        }
    } else {
        steps(t.k - time_for_d);
        if (time_for_d > 0)
            fetch_d();
        steps(time_for_d);
    }

    const T alpha = *static_cast<const T *>(t.alpha);
    const T beta = *static_cast<const T *>(t.beta);
    if constexpr (has_beside)
        if (delays) {
            T *lines = reinterpret_cast<T *>(t.delayed->lines);
#pragma GCC unroll 16
            for (int j = 0; j < N; ++j)
#pragma GCC unroll 8
                for (int v = 0; v < MV; ++v)
                    store(lines + (j * MV + v) * length, alpha * sum[j][v]);
            t.delayed->d = d;
            t.delayed->column_stride = t.column_stride;
            return;
        }
    if (!whole && t.row_stride == 1) {
        const auto some = first_lanes<T>(t.m - (MV - 1) * length);
#pragma GCC unroll 16
        for (int j = 0; j < N; ++j)
            update_column<T, MV>(d + j * t.column_stride, sum[j], alpha, beta, some);
        return;
    }
    if (!whole) {
        alignas(64) T tile[N * MV * length];
#pragma GCC unroll 16
        for (int j = 0; j < N; ++j)
#pragma GCC unroll 8
            for (int v = 0; v < MV; ++v)
                store(tile + (j * MV + v) * length, alpha * sum[j][v]);
        update_real(t, tile, MV * length);
        return;
    }
    update_whole<T, MV, N>(d, t.column_stride, sum, alpha, beta, streams);
}

/// Picks the variant with the fewest registers and columns that hold the tile, so that a cut tile
/// costs what it computes.
template <class T, int MR, int NR, bool packed, int MV, int N>
inline void choose_real(const micro_tile &t, int64_t vectors) {
    if constexpr (N > 1) {
        if (t.n < N)
            return choose_real<T, MR, NR, packed, MV, N - 1>(t, vectors);
    }
    if constexpr (MV > 1) {
        if (vectors < MV)
            return choose_real<T, MR, NR, packed, MV - 1, N>(t, vectors);
    }
    tile_real<T, MR, NR, MV, N, packed>(t);
}

template <class T, int MR, int NR, bool packed> void multiply_real(const micro_tile *t) {
    constexpr int length = simd<T>::length;
    choose_real<T, MR, NR, packed, MR / length, NR>(*t, (t->m + length - 1) / length);
}

/// Multiplies packed micro-panels and prefetches what follows: between the steps of whole tiles,
/// which may be delayed, and before others.
template <class T, int MR, int NR> void multiply_real_fetching(const micro_tile *t) {
    constexpr int most = MR / simd<T>::length;
    if (t->m > MR - simd<T>::length && t->n == NR)
        return tile_real<T, MR, NR, most, NR, true, true>(*t);
    prefetch(t->next_a);
    prefetch(t->next_b);
    multiply_real<T, MR, NR, true>(t);
}

/// Tiles are delayed, and prefetch between steps that are not assembled, where both were measured
/// (docs/adr/0002).
#ifdef __AVX512F__
constexpr bool tiles_are_delayed = true;
#else
constexpr bool tiles_are_delayed = false;
#endif

template <class T, int MR, int NR> constexpr void (*fetching_kernel())(const micro_tile *) {
    if constexpr (steps_are_assembled<MR / simd<T>::length, NR> || tiles_are_delayed)
        return multiply_real_fetching<T, MR, NR>;
    else
        return nullptr;
}

template <class T, int MR, int NR> void store_delayed(delayed_tile *tile) {
    static_assert(MR * NR * sizeof(T) <= sizeof tile->lines);
    store_tile<T, MR / simd<T>::length, NR>(*tile, [] {});
    tile->d = nullptr;
}

template <class T, int MR, int NR> constexpr void (*delayed_store())(delayed_tile *) {
    if constexpr (tiles_are_delayed)
        return store_delayed<T, MR, NR>;
    else
        return nullptr;
}

} // namespace
