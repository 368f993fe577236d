// Brings to a cache what will be used soon.
#pragma once

#include <algorithm>
#include <cstddef>

#include <tenfold/types.hpp>

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
          portion_(left_ / (portions > 0 ? portions : 1) + 1) {}

    /// Prefetches the next portion into L2; L1 holds what is being computed.
    void next() noexcept { fetch(portion()); }

    /// Returns the next portion for the caller to prefetch, as far as its lines follow one another,
    /// and prefetches the others.
    cache_lines next_run() noexcept {
        const index_t count = portion();
        const cache_lines first{from_ + at_ * line, std::min(count, lines_ - at_)};
        left_ -= first.count;
        at_ += first.count;
        if (at_ == lines_) {
            at_ = 0;
            from_ += stride_;
        }
        fetch(count - first.count);
        return first;
    }

    /// Lines that a call of next() or next_run() is about.
    index_t portion() const noexcept { return std::min(portion_, left_); }

    /// The same for a part of a matrix of elements of `size` bytes, whose rows or columns are
    /// contiguous; it may be empty.
    static fetch_ahead of(const matrix_part &part, index_t size, index_t portions) noexcept {
        const auto &[from, rows, columns, row_stride, column_stride] = part;
        if (rows <= 0 || columns <= 0)
            return {};
        return row_stride == 1
                   ? fetch_ahead(from, rows * size, columns, column_stride * size, portions)
                   : fetch_ahead(from, columns * size, rows, row_stride * size, portions);
    }

private:
    static constexpr index_t line = 64;

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
    index_t at_ = 0;
};

} // namespace tenfold::gemm_impl
