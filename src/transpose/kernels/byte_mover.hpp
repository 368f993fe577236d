// One strip at one tile of elements of one byte. A tile has at most 16 rows, the bytes of a
// 128-bit lane: a register's lanes are loaded from as many columns, and 16 registers transposed
// within their lanes are 16 rows. Included by kernel sources only.
#pragma once

#include "transpose/kernels/networks.hpp"

namespace tenfold::transpose_impl {
namespace {

/// A column's elements at a tile, or 16 of a row's.
typedef uint8_t lane __attribute__((vector_size(16)));

/// What is done with single lanes, on any instruction set.
struct lanes {
    static constexpr bool own_networks = false;

    static lane low8(lane a, lane b) {
        return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7,
                                       23);
    }
    static lane high8(lane a, lane b) {
        return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30,
                                       15, 31);
    }
    static lane load(const char *p) { return *reinterpret_cast<const anywhere *>(p); }
    static void store(char *p, lane v) { *reinterpret_cast<anywhere *>(p) = v; }

    /// The first n bytes, 1 to 16, none beyond them touched; the others are any. Two words that
    /// overlap make up any number of bytes.
    static lane load_part(const char *p, int64_t n) {
        if (n == 16)
            return load(p);
        uint64_t low = 0;
        uint64_t high = 0;
        if (n >= 8) {
            low = word<uint64_t>(p);
            high = n == 8 ? 0 : word<uint64_t>(p + n - 8) >> (128 - 8 * n);
        } else if (n >= 4) {
            low = word<uint32_t>(p) | uint64_t{word<uint32_t>(p + n - 4)} << (8 * (n - 4));
        } else if (n >= 2) {
            low = word<uint16_t>(p) | uint64_t{word<uint16_t>(p + n - 2)} << (8 * (n - 2));
        } else {
            low = word<uint8_t>(p);
        }
        return (lane)halves{low, high};
    }
    static void store_part(char *p, lane v, int64_t n) {
        if (n == 16)
            return store(p, v);
        const halves both = (halves)v;
        if (n >= 8) {
            put(p, both[0]);
            if (n > 8)
                put(p + n - 8, both[0] >> (8 * (n - 8)) | both[1] << (128 - 8 * n));
        } else if (n >= 4) {
            put(p, static_cast<uint32_t>(both[0]));
            put(p + n - 4, static_cast<uint32_t>(both[0] >> (8 * (n - 4))));
        } else if (n >= 2) {
            put(p, static_cast<uint16_t>(both[0]));
            put(p + n - 2, static_cast<uint16_t>(both[0] >> (8 * (n - 2))));
        } else {
            put(p, static_cast<uint8_t>(both[0]));
        }
    }

private:
    typedef lane anywhere __attribute__((aligned(1), may_alias));
    typedef uint64_t halves __attribute__((vector_size(16)));

    template <class W> static W word(const char *p) {
        W value;
        __builtin_memcpy(&value, p, sizeof value);
        return value;
    }
    template <class W> static void put(char *p, W value) {
        __builtin_memcpy(p, &value, sizeof value);
    }
};

/// The last `count` bytes of `before`, then the first ones of `after`, where registers are lines.
template <class Isa>
[[gnu::always_inline]] inline reg funnel_bytes(reg before, reg after, int64_t count) {
    typedef uint32_t words __attribute__((vector_size(Isa::bytes)));
    const auto odd = static_cast<uint32_t>(count % 4);
    const reg whole = Isa::funnel(before, after, count / 4);
    if (odd == 0)
        return whole;
    const reg further = Isa::funnel(before, after, count / 4 + 1);
    return (reg)((words)further >> (32 - 8 * odd) | (words)whole << (8 * odd));
}

/// One strip at one tile, at most a line's columns at a time.
struct byte_mover {
    static constexpr int64_t w = registers::bytes; ///< columns of a register
    static constexpr int64_t parts = line / w;
    static constexpr int64_t most_rows = 16;

    /// A line's columns of `rows` elements. Stream: rows of B lie on lines.
    template <bool Stream>
    [[gnu::always_inline]] static void whole_line(const char *const *columns, int64_t src,
                                                  int64_t rows, char *dst, const int64_t *row_at) {
        if (rows == most_rows)
            return write_line<Stream>(columns, src, most_rows, dst, row_at);
        alignas(line) char staged[static_cast<size_t>(line * most_rows)];
        const char *filled[static_cast<size_t>(line)];
        stage(columns, line, src, rows, staged, filled);
        write_line<Stream>(filled, 0, rows, dst, row_at);
    }

    /// n < a line's columns.
    [[gnu::noinline]] static void few_columns(const char *const *columns, int64_t n, int64_t src,
                                              int64_t rows, char *dst, const int64_t *row_at) {
        if constexpr (parts == 1 && w > 32)
            if (n > 32)
                return most_of_line(columns, n, src, rows, dst, row_at);
        for (int64_t j = 0; j < n; j += 16)
            sixteen_columns(columns + j, n - j < 16 ? n - j : 16, src, rows, dst + j, row_at);
    }

    /// At most a line's columns; only the last ones of a run are fewer (store_kind::carried).
    template <class Isa = registers> [[gnu::always_inline]] static void
    carried_line(const char *const *columns, int64_t n, int64_t src, int64_t rows, char *dst,
                 const int64_t *row_at, strip_edges edges, char *carry) {
        reg r[static_cast<size_t>(most_rows)];
        if (n == line && rows == most_rows) {
            transposed(columns, src, r);
        } else {
            alignas(line) char staged[static_cast<size_t>(line * most_rows)];
            const char *filled[static_cast<size_t>(line)];
            stage(columns, n, src, rows, staged, filled);
            transposed(filled, 0, r);
        }
        if (n == line && !edges.first && !edges.last && !edges.primes) {
#pragma GCC unroll 16
            for (int64_t i = 0; i < most_rows && i < rows; ++i)
                carry_row<Isa>(dst + row_at[i], r[i], line, {}, carry + i * line);
            return;
        }
#pragma GCC unroll 16
        for (int64_t i = 0; i < most_rows && i < rows; ++i)
            carry_row<Isa>(dst + row_at[i], r[i], n, edges, carry + i * line);
    }

private:
    /// A row's n elements for address d: the line that d lies in is completed by what waits in
    /// `slot`, and what goes beyond it waits there in turn.
    template <class Isa> [[gnu::always_inline]] static void
    carry_row(char *d, reg v, int64_t n, strip_edges edges, char *slot) {
        const reg waiting = Isa::load(slot);
        Isa::store(slot, v);
        if (edges.primes)
            return;
        const auto phase = static_cast<int64_t>(reinterpret_cast<uintptr_t>(d) % line);
        char *const base = d - phase;
        const reg shifted = funnel_bytes<Isa>(waiting, v, phase);
        const int64_t first = edges.first ? phase : 0;
        const int64_t end = phase + n;
        if (first == 0 && end >= line)
            Isa::stream(base, shifted);
        else
            Isa::store_bytes(base, shifted, first, end < line ? end : line);
        if (edges.last && end > line)
            Isa::store_bytes(base + line, funnel_bytes<Isa>(v, v, phase), 0, end - line);
    }

    /// The columns' elements in lanes that can be loaded whole.
    [[gnu::always_inline]] static void stage(const char *const *columns, int64_t n, int64_t src,
                                             int64_t rows, char *staged, const char **filled) {
        for (int64_t j = 0; j < line; ++j) {
            filled[j] = staged + most_rows * (j < n ? j : n - 1);
            if (j < n)
                lanes::store(staged + most_rows * j, lanes::load_part(columns[j] + src, rows));
        }
    }

    [[gnu::always_inline]] static void transposed(const char *const *columns, int64_t src, reg *r) {
#pragma GCC unroll 16
        for (int64_t c = 0; c < most_rows; ++c)
            r[c] = registers::from_lanes(columns + c, most_rows, src);
        transpose_in_lanes<1>(r);
    }

    template <bool Stream>
    [[gnu::always_inline]] static void write_line(const char *const *columns, int64_t src,
                                                  int64_t rows, char *dst, const int64_t *row_at) {
        reg r[static_cast<size_t>(parts)][static_cast<size_t>(most_rows)];
#pragma GCC unroll 4
        for (int64_t k = 0; k < parts; ++k)
            transposed(columns + k * w, src, r[k]);
#pragma GCC unroll 16
        for (int64_t i = 0; i < most_rows && i < rows; ++i) {
#pragma GCC unroll 4
            for (int64_t k = 0; k < parts; ++k) {
                char *const to = dst + row_at[i] + k * w;
                if constexpr (Stream)
                    registers::stream(to, r[k][i]);
                else
                    registers::store(to, r[k][i]);
            }
        }
    }

    /// Where a register is a line: the columns that are not there are not written.
    [[gnu::always_inline]] static void most_of_line(const char *const *columns, int64_t n,
                                                    int64_t src, int64_t rows, char *dst,
                                                    const int64_t *row_at) {
        alignas(line) char staged[static_cast<size_t>(line * most_rows)];
        const char *filled[static_cast<size_t>(line)];
        stage(columns, n, src, rows, staged, filled);
        reg r[static_cast<size_t>(most_rows)];
        transposed(filled, 0, r);
#pragma GCC unroll 16
        for (int64_t i = 0; i < most_rows && i < rows; ++i)
            registers::store_bytes(dst + row_at[i], r[i], 0, n);
    }

    [[gnu::always_inline]] static void sixteen_columns(const char *const *columns, int64_t n,
                                                       int64_t src, int64_t rows, char *dst,
                                                       const int64_t *row_at) {
        lane r[static_cast<size_t>(most_rows)];
        if (rows == most_rows) {
#pragma GCC unroll 16
            for (int64_t c = 0; c < most_rows; ++c)
                r[c] = lanes::load(columns[c < n ? c : n - 1] + src);
        } else {
            for (int64_t c = 0; c < most_rows; ++c)
                r[c] = c < n ? lanes::load_part(columns[c] + src, rows) : lane{};
        }
        transpose_bytes<lanes>(r);
        if (n == 16) {
#pragma GCC unroll 16
            for (int64_t i = 0; i < most_rows && i < rows; ++i)
                lanes::store(dst + row_at[i], r[i]);
            return;
        }
        for (int64_t i = 0; i < rows; ++i)
            lanes::store_part(dst + row_at[i], r[i], n);
    }
};

} // namespace
} // namespace tenfold::transpose_impl
