// Brings to a cache what will be used soon.
#pragma once

#include <algorithm>
#include <cstddef>

#include <tenfold/types.hpp>

#include "base/checked.hpp"
#include "gemm/kernels/kernel_abi.hpp"

namespace tenfold::gemm_impl {

/// rows x columns elements, the first one at `from`.
struct matrix_part {
    const std::byte *from;
    index_t rows, columns, row_stride, column_stride;
};

/// Prefetches a block of a matrix, a few lines at a time, while something else is computed: the
/// cache lines of `columns` contiguous runs of `bytes` each, `stride` bytes apart.
class fetch_ahead {
public:
    fetch_ahead() = default;
    /// About `portions` calls of next() prefetch all lines.
    fetch_ahead(const std::byte *from, index_t bytes, index_t columns, index_t stride,
                index_t portions) noexcept
        : runs_(runs_of(from, bytes / line_runs::line + 1, stride)), left_(runs_.lines * columns),
          portion_(base::divide_up(left_, std::max<index_t>(portions, 1))) {}

    /// Prefetches the next portion into L2; L1 holds what is being computed.
    void next() noexcept {
        const lines_ahead lines = take();
        for (index_t i = 0; i < lines.count; ++i) {
            __builtin_prefetch(runs_.next, 0, 2);
            runs_.move_on();
        }
    }

    /// Returns what the caller prefetches in place of next().
    lines_ahead take() noexcept {
        const index_t count = portion();
        left_ -= count;
        return {&runs_, count};
    }

    /// Lines that take() returns.
    index_t portion() const noexcept { return std::min(portion_, left_); }

    /// The same for a part of a matrix of elements of `size` bytes, whose rows or columns are
    /// contiguous; it may be empty.
    static fetch_ahead of(const matrix_part &part, index_t size, index_t portions) noexcept {
        const auto &[from, rows, columns, row_stride, column_stride] = part;
        if (rows <= 0 || columns <= 0)
            return {};
        const bool by_columns = row_stride == 1;
        const index_t run = by_columns ? rows : columns, runs = by_columns ? columns : rows;
        const index_t stride = by_columns ? column_stride : row_stride;
        return stride == run ? fetch_ahead(from, run * runs * size, 1, 0, portions)
                             : fetch_ahead(from, run * size, runs, stride * size, portions);
    }

private:
    static line_runs runs_of(const std::byte *from, index_t lines, index_t stride) noexcept {
        return {reinterpret_cast<const char *>(from), lines, lines,
                stride - lines * line_runs::line};
    }

    line_runs runs_;
    index_t left_ = 0; ///< lines
    index_t portion_ = 0;
};

} // namespace tenfold::gemm_impl
