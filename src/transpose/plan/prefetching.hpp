// What a schedule prefetches: how far ahead, and into which cache.
#pragma once

#include "transpose/plan/schedule.hpp"

namespace tenfold::transpose_impl {

/// Returns true if A and B fit the second-level cache together.
bool fits_l2(const schedule &plan, const base::machine &machine) noexcept;

/// Returns the level of the cache into which A and B are prefetched; until a strip has been chosen,
/// that of the least strip. A core can wait for only about two dozen lines for its L1 cache, but
/// for many more for its L2 cache, so this is 2 if A and B come from memory and either both are
/// read or A is read in more columns than the hardware prefetches.
index_t choose_prefetch_level(const schedule &plan, const base::machine &machine,
                              const schedule_options &options) noexcept;

/// Sets how many tiles are prefetched ahead, into which cache, and whether A is; after strips have
/// been chosen.
void choose_prefetching(schedule &plan, const base::machine &machine,
                        const schedule_options &options) noexcept;

} // namespace tenfold::transpose_impl
