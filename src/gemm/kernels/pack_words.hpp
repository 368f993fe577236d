// Packing narrow elements into micro-panels of words. What a word is made of, a Format says:
//
//     using source                     the element's bits: int8_t, uint16_t
//     static constexpr int group       steps in a word
//     word part(source)                an element's share of a word, in its low 32 / group bits
//     word whole(x)                    the word of `group` adjacent elements
//     words<lanes> parts<lanes>(x)     the shares of `lanes` adjacent elements
//     words<lanes> steps<lanes>(x)     whole words of lanes * group adjacent elements
//     static constexpr bool corrected  whether a panel ends with R words that finish() computes
#pragma once

#include "gemm/kernels/simd.hpp"
#include "gemm/kernels/words.hpp"

namespace {

/// Elements of a panel's rows; a step is one word of each row.
template <class Format> struct word_elements {
    static constexpr int group = Format::group;
    static constexpr int bits = 32 / group;
    const typename Format::source *x;
    int64_t stride, stride_k;

    /// The first `steps` steps of a group.
    word gather(int i, int64_t p, int steps) const {
        const auto *from = x + i * stride + p * group * stride_k;
        word value = 0;
        for (int g = 0; g < steps; ++g)
            value |= Format::part(from[g * stride_k]) << (g * bits);
        return value;
    }
    /// A word where steps are adjacent.
    word adjacent(int i, int64_t p) const { return Format::whole(x + i * stride + p * group); }

    /// `lanes` rows from row i at step p, where rows are adjacent.
    template <int lanes> void put_rows(int i, int64_t p, word *step) const {
        const auto *from = x + i + p * group * stride_k;
        words<lanes> value = Format::template parts<lanes>(from);
#pragma GCC unroll 4
        for (int g = 1; g < group; ++g)
            value |= Format::template parts<lanes>(from + g * stride_k) << (g * bits);
        block_ops<word, lanes>::store(step + i, value);
    }
    /// `lanes` rows from row i, `lanes` steps from step p, where steps are adjacent.
    template <int R, int lanes> void put_block(int i, int64_t p, word *step) const {
        using ops = block_ops<word, lanes>;
        typename ops::wide rows[lanes];
#pragma GCC unroll 16
        for (int r = 0; r < lanes; ++r)
            rows[r] = Format::template steps<lanes>(x + (i + r) * stride + p * group);
        ops::transpose(rows);
#pragma GCC unroll 16
        for (int q = 0; q < lanes; ++q)
            ops::store(step + q * R + i, rows[q]);
    }
};

/// The smallest part of a register by which rows and steps are packed together.
constexpr int least_lanes = 4;

/// Stores f(i) for `lanes` i from `first` on, at once: a loop of stores is vectorised with checks
/// that take longer than it, and what follows reads registers.
template <int lanes, class F> inline void put_words(int first, const F &f, word *step) {
    words<lanes> value;
    if constexpr (lanes == 4)
        value = words<4>{f(first), f(first + 1), f(first + 2), f(first + 3)};
    else if constexpr (lanes == 8)
        value = words<8>{f(first),     f(first + 1), f(first + 2), f(first + 3),
                         f(first + 4), f(first + 5), f(first + 6), f(first + 7)};
    else
        value = words<16>{f(first),      f(first + 1),  f(first + 2),  f(first + 3),
                          f(first + 4),  f(first + 5),  f(first + 6),  f(first + 7),
                          f(first + 8),  f(first + 9),  f(first + 10), f(first + 11),
                          f(first + 12), f(first + 13), f(first + 14), f(first + 15)};
    block_ops<word, lanes>::store(step + first, value);
}

/// A step of `rows` rows: f(i) for all of them.
template <int lanes, class F> inline void put_step(int rows, const F &f, word *step) {
    int i = 0;
    for (; i + lanes <= rows; i += lanes)
        put_words<lanes>(i, f, step);
    if constexpr (lanes > least_lanes)
        for (; i + least_lanes <= rows; i += least_lanes)
            put_words<least_lanes>(i, f, step);
    for (; i < rows; ++i)
        step[i] = f(i);
}

/// Rows from row i on at step p, where rows are adjacent: by registers, then by parts of one.
template <int lanes, class Elements>
inline void pack_step(const Elements &from, int i, int rows, int64_t p, word *step) {
    for (; i + lanes <= rows; i += lanes)
        from.template put_rows<lanes>(i, p, step);
    if constexpr (lanes > least_lanes)
        pack_step<lanes / 2>(from, i, rows, p, step);
    else
        for (; i < rows; ++i)
            step[i] = from.gather(i, p, Elements::group);
}

/// Steps from p to `end`, where steps are adjacent: square blocks of `lanes` rows and steps, then
/// smaller ones, so that few steps are transposed in registers, too.
template <int R, int lanes, class Elements>
inline void pack_blocks(const Elements &from, int rows, int64_t p, int64_t end, word *to) {
    for (; p + lanes <= end; p += lanes, to += lanes * R) {
        int i = 0;
        for (; i + lanes <= rows; i += lanes)
            from.template put_block<R, lanes>(i, p, to);
        for (; i < rows; ++i)
            for (int q = 0; q < lanes; ++q)
                to[q * R + i] = from.adjacent(i, p + q);
    }
    if constexpr (lanes > least_lanes)
        pack_blocks<R, lanes / 2>(from, rows, p, end, to);
    else
        for (; p < end; ++p, to += R)
            put_step<block_lanes<word, R>()>(
                rows, [&](int i) { return from.adjacent(i, p); }, to);
}

/// Steps from p to `end` of the first `rows` rows of a panel; its other rows stay as they are.
template <int R, class Elements>
inline void pack_rows(const Elements &from, int rows, int64_t p, int64_t end, word *to) {
    constexpr int lanes = block_lanes<word, R>();
    if (from.stride == 1) {
        for (; p < end; ++p, to += R)
            pack_step<lanes>(from, 0, rows, p, to);
    } else if (from.stride_k == 1) {
        pack_blocks<R, lanes>(from, rows, p, end, to);
    } else {
        for (; p < end; ++p, to += R)
            put_step<lanes>(
                rows, [&](int i) { return from.gather(i, p, Elements::group); }, to);
    }
}

/// Zeros in a register of a step, or in what the panel has of it.
template <int R, int lanes> inline void clear_register(word *step, int first) {
    if constexpr (R % lanes == 0)
        block_ops<word, lanes>::store(step + first, words<lanes>{});
    else
        for (int i = first; i < R && i < first + lanes; ++i)
            step[i] = 0;
}

/// A panel with fewer rows, of which kernels read whole registers: what is past the rows in the
/// last of these is zero, and registers after it are left as they are. Some steps at a time, which
/// still lie in L1 when their rows are packed.
template <int R, class Elements>
inline void pack_part(const Elements &from, int rows, int64_t steps, word *to) {
    constexpr int lanes = block_lanes<word, R>();
    constexpr int64_t at_once = 16; // a multiple of all blocks
    const int last = rows / lanes * lanes;
    for (int64_t p = 0; p < steps; p += at_once, to += at_once * R) {
        const int64_t end = steps - p < at_once ? steps : p + at_once;
        if (last < rows)
            for (int64_t q = 0; q < end - p; ++q)
                clear_register<R, lanes>(to + q * R, last);
        pack_rows<R>(from, rows, p, end, to);
    }
}

template <class Format, int R> void pack_words(const panel_source *s, void *panels) {
    const int64_t whole = s->k / Format::group;
    const int rest = static_cast<int>(s->k % Format::group);
    word_elements<Format> from{static_cast<const typename Format::source *>(s->x), s->stride,
                               s->stride_k};
    word *to = static_cast<word *>(panels);
    for (int64_t i = 0; i < s->extent; i += R, from.x += R * s->stride) {
        const int rows = s->extent - i < R ? static_cast<int>(s->extent - i) : R;
        const word *panel = to;
        if (rows == R) // as a constant, so that its loops are unrolled
            pack_rows<R>(from, R, 0, whole, to);
        else
            pack_part<R>(from, rows, whole, to);
        to += R * whole;
        if (rest > 0) {
            for (int r = 0; r < R; ++r)
                to[r] = r < rows ? from.gather(r, whole, rest) : 0;
            to += R;
        }
        if constexpr (Format::corrected) {
            Format::template finish<R>(panel, (to - panel) / R, to);
            to += R;
        }
    }
}

} // namespace
