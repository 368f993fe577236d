// One strip at one tile, where a row of a block is a register, and goes to B by itself. Included by
// kernel sources only.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "transpose/kernels/networks.hpp"

namespace tenfold::transpose_impl {
namespace {

template <int64_t Boundary> [[gnu::always_inline]] inline bool lies_on(const char *p) {
    return reinterpret_cast<uintptr_t>(p) % static_cast<uintptr_t>(Boundary) == 0;
}

/// A row's register of n elements for address d: the line before d's is completed by what waits in
/// `slot`, and what goes beyond it waits there in turn.
template <class E> [[gnu::always_inline]] inline void carry_row(char *d, reg v, int64_t n,
                                                                strip_edges edges, char *slot) {
    const reg waiting = registers::load(slot);
    registers::store(slot, v);
    if (edges.primes)
        return;
    const int64_t phase = static_cast<int64_t>(reinterpret_cast<uintptr_t>(d) % line);
    const int64_t before = phase / E::size_b;
    char *const base = d - phase;
    const reg shifted = E::isa::funnel(waiting, v, phase / 4);
    const int64_t first = edges.first ? before : 0;
    const int64_t end = before + n;
    if (first == 0 && end >= E::width)
        registers::stream(base, shifted);
    else
        E::store_part(base, shifted, first, end < E::width ? end : E::width);
    if (edges.last && end > E::width)
        E::store_part(base + line, E::isa::funnel(v, v, phase / 4), 0, end - E::width);
}

/// How N registers are put together from N registers: the word that each of their words is, and the
/// register it is taken from.
template <int N> struct picking {
    static constexpr auto registers_needed = static_cast<size_t>(N);

    alignas(64) int32_t place[registers_needed][16] = {};
    uint16_t from[registers_needed][registers_needed] = {};

    constexpr void set(int to, int word, int source, int place_there) {
        place[to][word] = place_there;
        from[to][source] = static_cast<uint16_t>(from[to][source] | 1 << word);
    }
};

/// From N columns one row after the other.
template <int Words, int N> constexpr picking<N> interleaving() {
    picking<N> made;
    for (int k = 0; k < N; ++k)
        for (int word = 0; word < 16; ++word) {
            const int element = (16 * k + word) / Words;
            made.set(k, word, element % N, element / N * Words + word % Words);
        }
    return made;
}

/// From columns of N elements, one after the other, N rows.
template <int Words, int N> constexpr picking<N> separating() {
    picking<N> made;
    for (int row = 0; row < N; ++row)
        for (int word = 0; word < 16; ++word) {
            const int at = (word / Words * N + row) * Words + word % Words;
            made.set(row, word, at / 16, at % 16);
        }
    return made;
}

/// One strip at one tile, at most W columns of W at a time.
template <class E, int Size, class Math, store_kind Store> struct tile_mover {
    static constexpr int64_t w = E::width;
    static constexpr auto registers_needed = static_cast<size_t>(w);
    static constexpr int per_lane = 16 / Size;
    static constexpr bool converts = E::converts;

    const Math &math;

    /// n <= w columns of `rows` elements. A block of few rows is put together from parts of
    /// registers, so that the network has the less to do.
    [[gnu::always_inline]] void block(const char *const *columns, int64_t n, int64_t src,
                                      int64_t rows, char *dst, const int64_t *row_at,
                                      strip_edges edges, char *carry) const {
        reg r[registers_needed];
        if (rows == w) {
#pragma GCC unroll 16
            for (int64_t j = 0; j < w; ++j)
                r[j] = E::load(columns[j] + src);
            transpose_registers<Size>(r);
            write<w>(r, w, n, dst, row_at, edges, carry);
        } else if (!converts && rows <= per_lane) {
#pragma GCC unroll 4
            for (int c = 0; c < per_lane; ++c)
                r[c] = registers::from_lanes(columns + c, per_lane, src, rows * E::words);
            transpose_in_lanes<Size>(r);
            write<per_lane>(r, rows, n, dst, row_at, edges, carry);
        } else if (!converts && registers::lanes == 4 && rows <= 2 * per_lane) {
            if constexpr (registers::lanes == 4)
                half_columns(columns, src, rows, r);
            write<2 * per_lane>(r, rows, n, dst, row_at, edges, carry);
        } else {
#pragma GCC unroll 16
            for (int64_t j = 0; j < w; ++j)
                r[j] = E::load_part(columns[j] + src, rows);
            transpose_registers<Size>(r);
            write<w>(r, rows, n, dst, row_at, edges, carry);
        }
    }

    /// n < w columns: the last one stands in for those that are not there.
    [[gnu::noinline]] void few_columns(const char *const *columns, int64_t n, int64_t src,
                                       int64_t rows, char *dst, const int64_t *row_at,
                                       strip_edges edges, char *carry) const {
        if (Store == store_kind::plain && !Math::computes && !converts && rows == w &&
            n <= (registers::lanes > 2 ? 2 : 1) * per_lane) {
            for (int64_t first = 0; first < n; first += per_lane)
                few_at_once(columns + first, n - first < per_lane ? n - first : per_lane, src,
                            dst + first * E::size_b, row_at);
            return;
        }
        const char *filled[registers_needed];
#pragma GCC unroll 16
        for (int64_t j = 0; j < w; ++j)
            filled[j] = columns[j < n ? j : n - 1];
        block(filled, n, src, rows, dst, row_at, edges, carry);
    }

    /// Two to four columns whose rows follow each other in B.
    [[gnu::always_inline]] void interleaved(const char *const *columns, int64_t n, int64_t src,
                                            int64_t rows, char *dst) const {
        if constexpr (registers::picks) {
            if (n == 2)
                interleave<2>(columns, src, rows, dst);
            else if (n == 3)
                interleave<3>(columns, src, rows, dst);
            else
                interleave<4>(columns, src, rows, dst);
        }
    }

    /// w columns of two to four rows that follow each other in A.
    [[gnu::always_inline]] void separated(const char *x, int64_t rows, char *dst,
                                          const int64_t *row_at, strip_edges edges,
                                          char *carry) const {
        if constexpr (registers::picks) {
            if (rows == 2)
                separate<2>(x, dst, row_at, edges, carry);
            else if (rows == 3)
                separate<3>(x, dst, row_at, edges, carry);
            else
                separate<4>(x, dst, row_at, edges, carry);
        }
    }

private:
    template <int N>
    [[gnu::always_inline]] static reg picked(const reg *v, const picking<N> &table, int k) {
        const reg place = E::isa::load(table.place[k]);
        reg result = E::isa::pick(v[0], place);
#pragma GCC unroll 4
        for (int j = 1; j < N; ++j)
            result = E::isa::pick(result, v[j], place, table.from[k][j]);
        return result;
    }

    template <int N> [[gnu::always_inline]] static void
    interleave(const char *const *columns, int64_t src, int64_t rows, char *dst) {
        static constexpr auto table = interleaving<static_cast<int>(E::words), N>();
        reg c[static_cast<size_t>(N)];
        if (rows == w) {
#pragma GCC unroll 4
            for (int j = 0; j < N; ++j)
                c[j] = E::load(columns[j] + src);
#pragma GCC unroll 4
            for (int k = 0; k < N; ++k)
                E::isa::store(dst + k * registers::bytes, picked<N>(c, table, k));
            return;
        }
#pragma GCC unroll 4
        for (int j = 0; j < N; ++j)
            c[j] = E::load_part(columns[j] + src, rows);
        int64_t left = N * rows;
#pragma GCC unroll 4
        for (int k = 0; k < N; ++k, left -= w)
            if (left > 0)
                E::store_part(dst + k * registers::bytes, picked<N>(c, table, k), 0,
                              left < w ? left : w);
    }

    template <int N> [[gnu::always_inline]] void separate(const char *x, char *dst,
                                                          const int64_t *row_at, strip_edges edges,
                                                          char *carry) const {
        static constexpr auto table = separating<static_cast<int>(E::words), N>();
        reg c[static_cast<size_t>(N)];
        reg r[static_cast<size_t>(N)];
#pragma GCC unroll 4
        for (int j = 0; j < N; ++j)
            c[j] = E::load(x + j * registers::bytes);
#pragma GCC unroll 4
        for (int i = 0; i < N; ++i)
            r[i] = picked<N>(c, table, i);
        write<N>(r, N, w, dst, row_at, edges, carry);
    }

    /// At most two lanes of each column.
    [[gnu::always_inline]] static void half_columns(const char *const *columns, int64_t src,
                                                    int64_t rows, reg *r) {
        reg low[static_cast<size_t>(per_lane)];
        reg high[static_cast<size_t>(per_lane)];
#pragma GCC unroll 4
        for (int c = 0; c < per_lane; ++c) {
            low[c] =
                E::isa::from_halves(columns[c] + src, columns[per_lane + c] + src, rows * E::words);
            high[c] = E::isa::from_halves(columns[2 * per_lane + c] + src,
                                          columns[3 * per_lane + c] + src, rows * E::words);
        }
        transpose_in_lanes<Size>(low);
        transpose_in_lanes<Size>(high);
#pragma GCC unroll 4
        for (int c = 0; c < per_lane; ++c) {
            r[c] = E::isa::even_lanes(low[c], high[c]);
            r[per_lane + c] = E::isa::odd_lanes(low[c], high[c]);
        }
    }

    /// At most a lane's width of whole columns: after the network's first half each lane is a piece
    /// of a row.
    [[gnu::always_inline]] void few_at_once(const char *const *columns, int64_t n, int64_t src,
                                            char *dst, const int64_t *row_at) const {
        reg r[static_cast<size_t>(per_lane)];
#pragma GCC unroll 4
        for (int c = 0; c < per_lane; ++c)
            r[c] = c < n ? E::load(columns[c] + src) : reg{};
        transpose_in_lanes<Size>(r);
#pragma GCC unroll 4
        for (int c = 0; c < per_lane; ++c)
            registers::store_lanes(dst, row_at + c, per_lane, r[c], n * E::words);
    }

    /// The first `rows` of Most rows of n elements.
    template <int64_t Most>
    [[gnu::always_inline]] void write(const reg *r, int64_t rows, int64_t n, char *dst,
                                      const int64_t *row_at, strip_edges edges, char *carry) const {
        if constexpr (Store == store_kind::carried) {
            if (n < w || edges.first || edges.last || edges.primes) {
#pragma GCC unroll 16
                for (int64_t i = 0; i < Most && i < rows; ++i)
                    carry_row<E>(dst + row_at[i], math(r[i], reg{}), n, edges, carry + i * line);
                return;
            }
#pragma GCC unroll 16
            for (int64_t i = 0; i < Most && i < rows; ++i)
                carry_row<E>(dst + row_at[i], math(r[i], reg{}), w, {}, carry + i * line);
        } else if (n < w) {
#pragma GCC unroll 16
            for (int64_t i = 0; i < Most && i < rows; ++i) {
                char *const d = dst + row_at[i];
                reg y{};
                if constexpr (Math::reads_y)
                    y = E::load_result(d, 0, n);
                E::store_part(d, math(r[i], y), 0, n);
            }
        } else if (Store == store_kind::streamed && lies_on<E::bytes_b>(dst)) {
#pragma GCC unroll 16
            for (int64_t i = 0; i < Most && i < rows; ++i)
                E::template store<true>(dst + row_at[i], math(r[i], reg{}));
        } else {
#pragma GCC unroll 16
            for (int64_t i = 0; i < Most && i < rows; ++i) {
                char *const d = dst + row_at[i];
                reg y{};
                if constexpr (Math::reads_y)
                    y = E::load_result(d);
                E::template store<false>(d, math(r[i], y));
            }
        }
    }
};

} // namespace
} // namespace tenfold::transpose_impl
