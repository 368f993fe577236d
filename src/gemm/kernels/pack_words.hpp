// Packing narrow elements into micro-panels of words. What a word is made of, a Format says:
//
//     using source                     the element's bits: int8_t, uint16_t
//     static constexpr int group       steps in a word
//     word part(source)                an element's share of a word, in its low 32 / group bits
//     words<lanes> parts<lanes>(x)     the same of `lanes` adjacent elements
//     words<lanes> steps<lanes>(x)     whole words of lanes * group adjacent elements
//     static constexpr bool corrected  whether a panel ends with R words that finish() computes
#pragma once

#include "gemm/kernels/pack.hpp"
#include "gemm/kernels/words.hpp"

namespace {

/// Elements as pack_panel sees them: a step is one word of each row.
template <class Format> struct word_elements {
    static constexpr int size = 1;
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
    template <int R> void put(int i, int64_t p, word *step) const { step[i] = gather(i, p, group); }
    template <int R> void put_zero(int i, word *step) const { step[i] = 0; }

    template <int R, int lanes> void put_rows(int i, int64_t p, word *step) const {
        const auto *from = x + i + p * group * stride_k;
        words<lanes> value = Format::template parts<lanes>(from);
#pragma GCC unroll 4
        for (int g = 1; g < group; ++g)
            value |= Format::template parts<lanes>(from + g * stride_k) << (g * bits);
        block_ops<word, lanes>::store(step + i, value);
    }
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
            pack_panel<word, R>(from, R, whole, to);
        else
            pack_panel<word, R>(from, rows, whole, to);
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
