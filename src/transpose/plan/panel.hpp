// A schedule's panels and runs: how far A is read, and B written, before the next strip begins.
#pragma once

#include <algorithm>
#include <vector>

#include "transpose/plan/schedule.hpp"

namespace tenfold::transpose_impl {

/// Numbers from docs/adr/0003.
inline constexpr index_t line = 64;          ///< bytes
inline constexpr index_t short_row = 96;     ///< bytes
inline constexpr index_t long_row = 2 << 10; ///< bytes; rows of this length are copied at the speed
                                             ///< of long copies
/// Bytes. If rows of this length are added to rows and are contiguous, hardware prefetches them
/// well.
inline constexpr index_t long_added_row = 600;
inline constexpr index_t wanted_run = 1 << 10; ///< bytes of B; partial lines of longer runs do not
                                               ///< matter

inline constexpr index_t most_interleaved = 4; ///< columns of a run that registers interleave and
                                               ///< write whole

inline constexpr index_t streams = 16; ///< streams of reading that the hardware prefetches

inline constexpr index_t prefetched_bytes = 8 << 10; ///< of rows that are copied

inline index_t ceiling_of(index_t n, index_t by) noexcept { return n / by + (n % by != 0); }

/// Lines at multiples of these distances fall into few memory channels, or into the same bank.
inline constexpr index_t channels = 512;
inline constexpr index_t bank = 4096;

inline bool rows_apart_by(const schedule &plan, index_t multiple) noexcept {
    return plan.row_extent > 1 && plan.rows.front().stride_b % multiple == 0;
}

/// Returns true if registers of so many elements are shorter than a cache line: past the cache,
/// lines are joined first; through it, they are written in parts.
inline bool writes_half_lines(const schedule &plan, index_t width) noexcept {
    return width * std::max(plan.size_a, plan.size_b) < line;
}

/// Returns the bytes below which runs that follow each other in B are joined in a buffer before
/// they go past the cache. Registers as long as lines shift longer ones together sooner.
inline index_t longest_joined(const schedule &plan) noexcept {
    return writes_half_lines(plan, plan.width) ? wanted_run : 4 * line;
}

/// Bytes of one way of a cache: lines at multiples of this distance share a set.
inline index_t way_of(const base::cache &cache) noexcept {
    return std::max(line, cache.size / std::max<index_t>(1, cache.ways));
}

/// Tiles of a panel; rows are copied one at a time.
inline index_t tiles_of(const schedule &plan) noexcept {
    index_t tiles = ceiling_of(plan.row_piece, plan.width) * plan.panel_piece;
    for (std::size_t k = 0; k + 1 < plan.panel.size(); ++k)
        tiles *= plan.panel[k].extent;
    return tiles;
}

/// Bytes of a row of B that is copied. Longer rows can be planned, though no memory holds them;
/// their byte counts must not overflow.
inline index_t row_bytes(const schedule &plan) noexcept {
    return std::min(plan.run.front().extent, index_t{1} << 40) * plan.size_b;
}

/// Returns one row if rows are long, so that A is read in order; several if they are short, so that
/// each visit to B is long enough.
inline index_t rows_per_visit(const schedule &plan) noexcept {
    constexpr index_t some_lines = 640;
    const index_t bytes = row_bytes(plan);
    if (bytes >= (plan.accumulates ? long_added_row : long_row))
        return 1;
    return bytes >= some_lines ? 2 : bytes >= short_row ? 4 : streams;
}

/// Returns true if rows are copied to so few places of B that such visits to all of them move much
/// less than should be under way.
inline bool copies_to_few_places(const schedule &plan) noexcept {
    return plan.how == method::rows && !plan.accumulates && row_bytes(plan) < long_row &&
           tiles_of(plan) * rows_per_visit(plan) * row_bytes(plan) < prefetched_bytes / 2;
}

/// Sets the schedule's panel, run and pieces of rows from the modes that are neither A's nor B's
/// fastest, and returns the remaining modes. `carries` says that lines of B may have to wait until
/// they are complete, which bounds a panel's rows. O(order^2).
std::vector<walked_mode> build_panel(schedule &plan, std::vector<walked_mode> rest,
                                     const base::machine &machine, const schedule_options &options,
                                     bool carries);

} // namespace tenfold::transpose_impl
