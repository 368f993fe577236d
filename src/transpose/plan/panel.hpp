// A schedule's panels and runs: how far A is read, and B written, before the next strip's turn.
#pragma once

#include <vector>

#include "transpose/plan/schedule.hpp"

namespace tenfold::transpose_impl {

/// Figures from docs/adr/0003.
inline constexpr index_t line = 64;          ///< bytes
inline constexpr index_t long_row = 2 << 10; ///< bytes that are copied at the speed of long copies
/// Bytes of rows that are added to rows and that hardware prefetches well where they follow each
/// other.
inline constexpr index_t long_added_row = 600;
inline constexpr index_t wanted_run = 1 << 10; ///< bytes of B: its partial lines do not matter

inline index_t ceiling_of(index_t n, index_t by) noexcept { return n / by + (n % by != 0); }

/// Lines that are a multiple of this apart lie in a few of memory's channels, or in the same bank.
inline constexpr index_t channels = 512;
inline constexpr index_t bank = 4096;

inline bool rows_apart_by(const schedule &plan, index_t multiple) noexcept {
    return plan.row_extent > 1 && plan.rows.front().stride_b % multiple == 0;
}

/// Fills in the schedule's panel, run and pieces of rows from the modes that are neither A's nor
/// B's fastest, and returns those that are left. `carries`: lines of B may have to
/// wait for their end, which bounds a panel's rows. O(order^2).
std::vector<walked_mode> build_panel(schedule &plan, std::vector<walked_mode> rest,
                                     const base::machine &machine, const schedule_options &options,
                                     bool carries);

} // namespace tenfold::transpose_impl
