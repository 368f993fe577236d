// Brings to a cache what will be used soon.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

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
        : from_(from), lines_(bytes / line + 1), stride_(stride), left_(lines_ * columns),
          portion_(base::divide_up(left_, std::max<index_t>(portions, 1))) {}

    /// Prefetches the next portion into L2; L1 holds what is being computed.
    void next() noexcept { fetch(std::min(portion_, left_)); }

    /// Returns what the caller prefetches in place of next(): lines that follow one another. What a
    /// portion lacks then is left to later ones, or prefetched here if all runs are so short.
    cache_lines next_run() noexcept {
        due_ = std::min(due_ + portion_, left_);
        const cache_lines run{from_ + at_ * line, std::min(due_, lines_ - at_)};
        due_ -= run.count;
        left_ -= run.count;
        at_ += run.count;
        if (at_ == lines_) {
            at_ = 0;
            from_ += stride_;
        }
        if (lines_ < portion_)
            fetch(std::exchange(due_, 0));
        return run;
    }

    /// Lines that next_run() returns; 0 where runs are shorter than portions.
    index_t in_runs() const noexcept { return lines_ < portion_ ? 0 : std::min(portion_, left_); }

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
    static constexpr index_t line = cache_lines::line;

    void fetch(index_t count) noexcept {
        left_ -= count;
        for (; count > 0; --count) {
            __builtin_prefetch(from_ + at_ * line, 0, 2);
            if (++at_ == lines_) {
                at_ = 0;
                from_ += stride_;
            }
        }
    }

    const std::byte *from_ = nullptr;
    index_t lines_ = 1;  ///< lines of one run
    index_t stride_ = 0; ///< in bytes
    index_t left_ = 0;   ///< lines left
    index_t portion_ = 0;
    index_t due_ = 0; ///< lines that portions before left to later ones
    index_t at_ = 0;
};

} // namespace tenfold::gemm_impl
