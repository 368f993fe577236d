// What the lines cost that hardware does not prefetch, because they follow no others: a part of the
// prices of products.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/machine.hpp"
#include "base/traffic.hpp"
#include "gemm/plan/cycles.hpp"
#include "gemm/plan/shape.hpp"

namespace tenfold::gemm_impl {

/// The factor by which what nothing fetches takes longer where it is no single run.
inline constexpr double unfetched = 3;

/// A matrix that a product reads or writes.
struct placed_matrix {
    index_t rows, columns, row_stride, column_stride;
    double whole; ///< elements of the tensor that it is a part of
};

/// A matrix as runs: rows or columns, whichever lie closer together inside.
struct matrix_runs {
    index_t count, apart; ///< elements from one to the next
    double length;        ///< elements from the beginning of one to its end

    explicit matrix_runs(const placed_matrix &x) noexcept {
        const auto between = [](index_t extent, index_t stride) {
            return extent > 1 ? std::abs(real(stride)) : 0.0; // the stride of an extent of 1 is any
        };
        const double down = between(x.rows, x.row_stride);
        const double across = between(x.columns, x.column_stride);
        const bool by_rows = down > across;
        count = by_rows ? x.rows : x.columns;
        apart = by_rows ? x.row_stride : x.column_stride;
        length = std::max(1.0, by_rows ? real(x.columns) * across : real(x.rows) * down);
    }
    bool adjoin() const noexcept { return length == std::abs(real(apart)); } ///< all are one run
};

/// Returns true if all elements of a matrix are adjacent.
inline bool is_one_run(const placed_matrix &x) noexcept {
    const matrix_runs runs(x);
    return runs.length * real(runs.count) == real(x.rows) * real(x.columns) &&
           (runs.count <= 1 || runs.adjoin());
}

/// Returns true if the runs of a matrix lie pages apart, and in no L2.
inline bool lies_on_pages(const placed_matrix &x, const matrix_runs &runs,
                          const base::machine &machine, const base::traffic &moves) noexcept {
    return runs.count > 1 && std::abs(real(runs.apart)) * moves.element() >= real(machine.page) &&
           x.whole * moves.element() > moves.l2();
}

/// Seconds that the first line of a run takes where hardware does not prefetch it. The last cache
/// answers sooner than memory, about as much sooner as it is faster.
inline double seconds_of_line(const placed_matrix &x, const base::traffic &moves) noexcept {
    const double memory = moves.rates().reading(1);
    return moves.rates().strided_line * memory /
           moves.bandwidth(x.whole * moves.element(), memory, 1);
}

/// Seconds that a matrix takes beyond its bandwidth if its rows or columns lie pages apart and in
/// no L2: hardware prefetches none of their first lines, so many of each. Short ones share a line
/// with those of the next product.
inline double first_line_seconds(const placed_matrix &x, const base::machine &machine,
                                 const base::traffic &moves, double lines = 1) noexcept {
    const matrix_runs runs(x);
    if (!lies_on_pages(x, runs, machine, moves))
        return 0;
    return real(runs.count) * std::min(lines, runs.length * moves.element() / moves.line()) *
           seconds_of_line(x, moves);
}

/// Seconds that a matrix in no L2 takes beyond its bandwidth if so many of its runs at a time are
/// read side by side, a line of each in turn: of few of them hardware prefetches all lines, of many
/// none. From 1 to 40 runs of 25 lines on a Zen 4. `fetched`: the product asks for lines ahead;
/// those from memory show no such loss then.
inline double side_by_side_seconds(const placed_matrix &x, index_t at_a_time, bool fetched,
                                   const base::machine &machine,
                                   const base::traffic &moves) noexcept {
    constexpr double all_followed = 8; // runs
    constexpr double none_followed = 48;
    const matrix_runs runs(x);
    const double streams = std::min(real(runs.count), real(at_a_time));
    if (streams <= all_followed || !lies_on_pages(x, runs, machine, moves) ||
        (fetched && moves.from_memory(x.whole, 1)))
        return 0;
    const double share = std::min(1.0, (streams - all_followed) / (none_followed - all_followed));
    return share * real(runs.count) * runs.length * moves.element() / moves.line() *
           seconds_of_line(x, moves);
}

/// Returns true if all elements of a matrix lie at least so many bytes apart, and in no L2.
inline bool lies_apart(const placed_matrix &x, double bytes, const base::traffic &moves) noexcept {
    const auto is_far = [&](index_t extent, index_t stride) {
        return extent <= 1 || std::abs(real(stride)) * moves.element() >= bytes;
    };
    return x.rows * x.columns > 1 && is_far(x.rows, x.row_stride) &&
           is_far(x.columns, x.column_stride) && x.whole * moves.element() > moves.l2();
}

/// Lines at the beginning of a run that hardware does not prefetch: it waits until some have
/// followed one another.
inline constexpr double before_prefetch = 3;

/// Bytes from one line to the next from which on hardware does not learn the stride: a page has to
/// hold as many as it learns from.
inline double least_far(const base::machine &machine) noexcept {
    return real(machine.page) / before_prefetch;
}

/// Seconds that a matrix takes beyond its bandwidth in each product of a loop that does not fetch
/// what follows, if it begins far from where the product before left off, in that share of them.
inline double far_seconds(const placed_matrix &x, double share,
                          const base::traffic &moves) noexcept {
    if (share == 0 || x.whole * moves.element() <= moves.l2())
        return 0;
    const matrix_runs runs(x);
    const double bytes = runs.length * (runs.adjoin() ? real(runs.count) : 1) * moves.element();
    return share * std::min(before_prefetch, std::ceil(bytes / moves.line())) *
           seconds_of_line(x, moves);
}

/// The matrices of a product.
inline placed_matrix matrix_a(const gemm_shape &s, const tensor_sizes &whole) noexcept {
    return {s.m, s.k, s.row_stride_a, s.column_stride_a, whole.a};
}
inline placed_matrix matrix_b(const gemm_shape &s, const tensor_sizes &whole) noexcept {
    return {s.k, s.n, s.row_stride_b, s.column_stride_b, whole.b};
}
inline placed_matrix matrix_d(const gemm_shape &s, const tensor_sizes &whole) noexcept {
    return {s.m, s.n, s.row_stride_d, s.column_stride_d, whole.d};
}

/// first_line_seconds() of A and B.
inline double first_line_seconds_of_inputs(const gemm_shape &s, const tensor_sizes &whole,
                                           const base::machine &machine, const base::traffic &moves,
                                           double lines = 1) noexcept {
    return first_line_seconds(matrix_a(s, whole), machine, moves, lines) +
           first_line_seconds(matrix_b(s, whole), machine, moves, lines);
}

/// far_seconds() of all three.
inline double far_seconds(const gemm_shape &s, const tensor_sizes &whole,
                          const base::traffic &moves) noexcept {
    return far_seconds(matrix_a(s, whole), whole.far_a, moves) +
           far_seconds(matrix_b(s, whole), whole.far_b, moves) +
           far_seconds(matrix_d(s, whole), whole.far_d, moves);
}

} // namespace tenfold::gemm_impl
