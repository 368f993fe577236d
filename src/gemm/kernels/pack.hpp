// Packing into micro-panels of R rows from any pair of strides: adjacent rows are copied, adjacent
// steps transposed in registers, anything else gathered.
#pragma once

#include "gemm/kernels/simd.hpp"
#include "simd/shuffle.hpp"

namespace {

/// Elements of real matrices as packing sees them.
template <class T> struct real_elements {
    static constexpr int size = 1; // Ts of one element
    const T *x;
    int64_t stride, stride_k;

    template <int R> void put(int i, int64_t p, T *step) const {
        step[i] = x[i * stride + p * stride_k];
    }
    template <int R> void put_zero(int i, T *step) const { step[i] = 0; }
    template <int R, int lanes> void put_zeros(int i, T *step) const {
        using ops = block_ops<T, lanes>;
        ops::store(step + i, typename ops::wide{});
    }

    /// `lanes` rows from row i at step p, where rows are adjacent.
    template <int R, int lanes> void put_rows(int i, int64_t p, T *step) const {
        using ops = block_ops<T, lanes>;
        ops::store(step + i, ops::load(x + i + p * stride_k));
    }
    /// `lanes` rows from row i, `lanes` steps from step p, where steps are adjacent. Those after
    /// the first `there` rows are zero.
    template <int R, int lanes> void put_block(int i, int64_t p, T *step, int there = lanes) const {
        using ops = block_ops<T, lanes>;
        typename ops::wide rows[lanes];
#pragma GCC unroll 16
        for (int r = 0; r < lanes; ++r)
            rows[r] = r < there ? ops::load(x + (i + r) * stride + p) : typename ops::wide{};
        ops::transpose(rows);
#pragma GCC unroll 16
        for (int q = 0; q < lanes; ++q)
            ops::store(step + q * R + i, rows[q]);
    }
};

/// Complex ones: real parts first, then imaginary parts times `sign`.
template <class T> struct complex_elements {
    static constexpr int size = 2;
    const T *x;
    int64_t stride, stride_k;
    T sign;

    template <int R> void put(int i, int64_t p, T *step) const {
        const T *number = x + 2 * (i * stride + p * stride_k);
        step[i] = number[0];
        step[R + i] = sign * number[1];
    }
    template <int R> void put_zero(int i, T *step) const {
        step[i] = 0;
        step[R + i] = 0;
    }
    template <int R, int lanes> void put_zeros(int i, T *step) const {
        using ops = block_ops<T, lanes>;
        ops::store(step + i, typename ops::wide{});
        ops::store(step + R + i, typename ops::wide{});
    }
    template <int R, int lanes> void put_rows(int i, int64_t p, T *step) const {
        using ops = block_ops<T, lanes>;
        const T *from = x + 2 * (i + p * stride_k);
        const auto first = ops::load(from);
        const auto second = ops::load(from + lanes);
        ops::store(step + i, ops::evens(first, second));
        ops::store(step + R + i, sign * ops::odds(first, second));
    }
    template <int R, int lanes> void put_block(int i, int64_t p, T *step, int there = lanes) const {
        using ops = block_ops<T, lanes>;
        typename ops::wide rows[lanes];
        const T *from = x + 2 * (i * stride + p);
#pragma GCC unroll 16
        for (int r = 0; r < lanes; ++r) {
            if (r >= there) {
                rows[r] = typename ops::wide{};
                continue;
            }
            const T *row = from + 2 * r * stride;
            rows[r] = ops::evens(ops::load(row), ops::load(row + lanes));
        }
        ops::transpose(rows);
#pragma GCC unroll 16
        for (int q = 0; q < lanes; ++q)
            ops::store(step + 2 * q * R + i, rows[q]);
#pragma GCC unroll 16
        for (int r = 0; r < lanes; ++r) {
            if (r >= there) {
                rows[r] = typename ops::wide{};
                continue;
            }
            const T *row = from + 2 * r * stride;
            rows[r] = sign * ops::odds(ops::load(row), ops::load(row + lanes));
        }
        ops::transpose(rows);
#pragma GCC unroll 16
        for (int q = 0; q < lanes; ++q)
            ops::store(step + (2 * q + 1) * R + i, rows[q]);
    }
};

/// How many of the rows that whole blocks leave over are packed at a time: two in panels of six
/// rows with four lanes, else one.
template <class T, int R> constexpr int rest_lanes() {
    constexpr int rest = R % block_lanes<T, R>();
    return sizeof(T) == 8 && rest > 0 && rest % 2 == 0 ? 2 : 1;
}

/// The steps of a panel from step p on, where steps are adjacent: blocks of `lanes` steps, and of
/// half as many each time that fewer are left. Rows up to `padded` are zero. Returns the first step
/// that no block holds.
template <class T, int R, int lanes, class Elements> [[gnu::always_inline]] inline int64_t
pack_blocks(const Elements &from, int rows, int padded, int64_t p, int64_t k, T *to) {
    constexpr int least_lanes = 16 / sizeof(T);
    constexpr int pair = rest_lanes<T, R>();
    constexpr int64_t step_size = Elements::size * R;
    for (; p + lanes <= k; p += lanes) {
        T *const steps = to + p * step_size;
        int i = 0;
        for (; i + lanes <= rows; i += lanes)
            from.template put_block<R, lanes>(i, p, steps);
        if (i < rows && i + lanes <= R) {
            from.template put_block<R, lanes>(i, p, steps, rows - i);
            i += lanes;
        }
        for (; i >= rows && i + lanes <= padded; i += lanes)
            for (int q = 0; q < lanes; ++q)
                from.template put_zeros<R, lanes>(i, steps + q * step_size);
        if constexpr (pair > 1 && lanes > pair)
            for (; i + pair <= rows; i += pair)
                for (int q = 0; q < lanes; q += pair)
                    from.template put_block<R, pair>(i, p + q, steps + q * step_size);
        for (; i < padded; ++i)
            for (int q = 0; q < lanes; ++q)
                if (i < rows)
                    from.template put<R>(i, p + q, steps + q * step_size);
                else
                    from.template put_zero<R>(i, steps + q * step_size);
    }
    if constexpr (lanes > least_lanes)
        return pack_blocks<T, R, lanes / 2>(from, rows, padded, p, k, to);
    return p;
}

/// One panel of `rows` rows; those up to `padded` are zero.
template <class T, int R, class Elements>
inline void pack_panel(const Elements &from, int rows, int padded, int64_t k, T *to) {
    constexpr int lanes = block_lanes<T, R>();
    constexpr int pair = rest_lanes<T, R>();
    constexpr int64_t step_size = Elements::size * R;
    if (from.stride == 1) {
        for (int64_t p = 0; p < k; ++p, to += step_size) {
            int i = 0;
            for (; i + lanes <= rows; i += lanes)
                from.template put_rows<R, lanes>(i, p, to);
            if constexpr (pair > 1)
                for (; i + pair <= rows; i += pair)
                    from.template put_rows<R, pair>(i, p, to);
            for (; i < rows; ++i)
                from.template put<R>(i, p, to);
            for (; i < padded; ++i)
                from.template put_zero<R>(i, to);
        }
        return;
    }
    int64_t p = from.stride_k == 1 ? pack_blocks<T, R, lanes>(from, rows, padded, 0, k, to) : 0;
    to += p * step_size;
    for (; p < k; ++p, to += step_size) {
        int i = 0;
        for (; i < rows; ++i)
            from.template put<R>(i, p, to);
        for (; i < padded; ++i)
            from.template put_zero<R>(i, to);
    }
}

/// Whole panels of adjacent rows, all of them step by step: a step of many is read as one stretch,
/// from one page.
template <class T, int R, class Elements>
inline void pack_adjacent(const Elements &from, int64_t panels, int64_t k, T *to) {
    constexpr int lanes = block_lanes<T, R>();
    constexpr int pair = rest_lanes<T, R>();
    constexpr int64_t step_size = Elements::size * R;
    for (int64_t p = 0; p < k; ++p, to += step_size) {
        Elements rows = from;
        T *step = to;
        for (int64_t panel = 0; panel < panels; ++panel, step += step_size * k) {
#pragma GCC unroll 16
            for (int i = 0; i + lanes <= R; i += lanes)
                rows.template put_rows<R, lanes>(i, p, step);
#pragma GCC unroll 16
            for (int i = R / lanes * lanes; i + pair <= R; i += pair)
                if constexpr (pair > 1)
                    rows.template put_rows<R, pair>(i, p, step);
                else
                    rows.template put<R>(i, p, step);
            rows.x += Elements::size * R;
        }
    }
}

template <class T, int R, class Elements>
[[gnu::always_inline]] inline void pack_panels(Elements from, const panel_source &s, T *to) {
    const auto pack_part = [&](int64_t extent, T *panel) {
        const auto rows = static_cast<int>(extent);
        pack_panel<T, R>(from, rows, s.padded ? R : rows, s.k, panel);
    };
    if (from.stride == 1) {
        const int64_t panels = s.extent / R;
        pack_adjacent<T, R>(from, panels, s.k, to);
        from.x += Elements::size * R * panels;
        if (s.extent % R != 0)
            pack_part(s.extent % R, to + Elements::size * R * s.k * panels);
        return;
    }
    for (int64_t i = 0; i < s.extent; i += R) {
        const int64_t rows = s.extent - i;
        if (rows >= R) // as a constant, so that its loops are unrolled
            pack_panel<T, R>(from, R, R, s.k, to);
        else
            pack_part(rows, to);
        from.x += Elements::size * R * s.stride;
        to += Elements::size * R * s.k;
    }
}

template <class T, int R> void pack_real(const panel_source *s, void *panels) {
    pack_panels<T, R>(real_elements<T>{static_cast<const T *>(s->x), s->stride, s->stride_k}, *s,
                      static_cast<T *>(panels));
}

template <class T, int R> void pack_complex(const panel_source *s, void *panels) {
    pack_panels<T, R>(complex_elements<T>{static_cast<const T *>(s->x), s->stride, s->stride_k,
                                          s->conj ? T(-1) : T(1)},
                      *s, static_cast<T *>(panels));
}

} // namespace
