// A schedule's panels and runs: how far A is read, and B written, before the next strip begins.
#pragma once

#include <algorithm>
#include <vector>

#include "transpose/plan/schedule.hpp"

namespace tenfold::transpose_impl {

/// Numbers from docs/adr/0003.
inline constexpr index_t line = 64;          ///< bytes
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

/// Sets the schedule's panel, run and pieces of rows from the modes that are neither A's nor B's
/// fastest, and returns the remaining modes. `carries` says that lines of B may have to wait until
/// they are complete, which bounds a panel's rows. O(order^2).
std::vector<walked_mode> build_panel(schedule &plan, std::vector<walked_mode> rest,
                                     const base::machine &machine, const schedule_options &options,
                                     bool carries);

} // namespace tenfold::transpose_impl
