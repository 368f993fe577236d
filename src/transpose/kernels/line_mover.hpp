// One strip at one tile, past the cache or added, where a register is shorter than a cache line:
// each row's line is put together from several registers before any of it is written. A line that
// goes to memory in parts costs several times as much as one that goes there whole, and processors
// keep few unfinished lines. Included by kernel sources only.
#pragma once

#include "transpose/kernels/networks.hpp"

namespace tenfold::transpose_impl {
namespace {

template <class E, int Size, class Math, store_kind Store> struct line_mover {
    static constexpr int64_t w = E::width;
    static constexpr int64_t parts = line / E::bytes_b; ///< of a line, a register each
    static constexpr int64_t columns_at_once = parts * w;
    static constexpr int per_lane = 16 / Size;
    static constexpr bool converts = E::converts;
    static constexpr int64_t rows_at_once = converts ? w : per_lane;
    using part = decltype(E::result(reg{}));

    const Math &math;

    /// n <= columns_at_once columns of `rows` elements; fewer only where lines are carried.
    [[gnu::always_inline]] void block(const char *const *columns, int64_t n, int64_t src,
                                      int64_t rows, char *dst, const int64_t *row_at,
                                      strip_edges edges, char *carry) const {
        const char *filled[static_cast<size_t>(columns_at_once)];
        if (n < columns_at_once) {
            for (int64_t j = 0; j < columns_at_once; ++j)
                filled[j] = columns[j < n ? j : n - 1];
            columns = filled;
        }
        int64_t row = 0;
        for (; row + rows_at_once <= rows; row += rows_at_once)
            some_rows(columns, n, src + row * E::size_a, rows_at_once, dst, row_at + row, edges,
                      carry + row * line);
        if (row < rows)
            some_rows(columns, n, src + row * E::size_a, rows - row, dst, row_at + row, edges,
                      carry + row * line);
    }

private:
    [[gnu::always_inline]] void some_rows(const char *const *columns, int64_t n, int64_t src,
                                          int64_t rows, char *dst, const int64_t *row_at,
                                          strip_edges edges, char *carry) const {
        reg r[static_cast<size_t>(parts)][static_cast<size_t>(rows_at_once)];
#pragma GCC unroll 16
        for (int64_t k = 0; k < parts; ++k) {
            if constexpr (converts) {
#pragma GCC unroll 16
                for (int64_t j = 0; j < w; ++j)
                    r[k][j] = rows == w ? E::load(columns[k * w + j] + src)
                                        : E::load_part(columns[k * w + j] + src, rows);
                transpose_registers<Size>(r[k]);
            } else {
#pragma GCC unroll 4
                for (int c = 0; c < per_lane; ++c)
                    r[k][c] = rows == per_lane
                                  ? E::isa::from_lanes(columns + k * w + c, per_lane, src)
                                  : registers::from_lanes(columns + k * w + c, per_lane, src,
                                                          rows * E::words);
                transpose_in_lanes<Size>(r[k]);
            }
        }
#pragma GCC unroll 16
        for (int64_t i = 0; i < rows_at_once && i < rows; ++i) {
            part of_line[static_cast<size_t>(parts)];
#pragma GCC unroll 16
            for (int64_t k = 0; k < parts; ++k) {
                reg y{};
                if constexpr (Math::reads_y)
                    y = E::load_result(dst + row_at[i] + k * E::bytes_b);
                of_line[k] = E::result(math(r[k][i], y));
            }
            if constexpr (Store == store_kind::carried) {
                carry_line(dst + row_at[i], of_line, n, edges, carry + i * line);
            } else if constexpr (Store == store_kind::plain) {
#pragma GCC unroll 16
                for (int64_t k = 0; k < parts; ++k)
                    registers::store(dst + row_at[i] + k * E::bytes_b, of_line[k]);
            } else {
#pragma GCC unroll 16
                for (int64_t k = 0; k < parts; ++k)
                    registers::stream(dst + row_at[i] + k * E::bytes_b, of_line[k]);
            }
        }
    }

    /// A row's n elements for address d: the line that d lies in is completed by what waits in
    /// `slot`, and what goes beyond it waits there in turn. Registers wait rotated, so that what
    /// they are put together with has its place.
    [[gnu::always_inline]] static void carry_line(char *d, const part *v, int64_t n,
                                                  strip_edges edges, char *slot) {
        const int64_t phase = static_cast<int64_t>(reinterpret_cast<uintptr_t>(d) % line);
        const auto by = E::isa::shift_by(phase / 4);
        const part p[4] = {registers::load(slot), registers::load(slot + registers::bytes),
                           E::isa::rotated(v[0], by), E::isa::rotated(v[1], by)};
        registers::store(slot, p[2]);
        registers::store(slot + registers::bytes, p[3]);
        if (edges.primes)
            return;
        const int64_t before = phase / E::size_b;
        const int64_t end = before + n;
        char *const base = d - phase;
        if (!edges.first && end >= columns_at_once) {
            registers::stream(base, E::isa::joined(p, 0, by));
            registers::stream(base + registers::bytes, E::isa::joined(p, 1, by));
        } else {
            store_some(base, p[0], p[1], p[2], p[3], edges.first ? before : 0,
                       end < columns_at_once ? end : columns_at_once, by);
        }
        if (edges.last && end > columns_at_once)
            store_some(base + line, p[2], p[3], p[3], p[3], 0, end - columns_at_once, by);
    }

    /// Elements first <= k < last of a line.
    template <class By> [[gnu::noinline]] static void
    store_some(char *base, part a, part b, part c, part d, int64_t first, int64_t last, By by) {
        const part p[4] = {a, b, c, d};
        for (int k = 0; k < 2; ++k) {
            const int64_t begin = first > k * w ? first - k * w : 0;
            const int64_t end = last - k * w < w ? last - k * w : w;
            if (begin < end)
                E::store_part(base + k * registers::bytes, E::isa::joined(p, k, by), begin, end);
        }
    }
};

} // namespace
} // namespace tenfold::transpose_impl
