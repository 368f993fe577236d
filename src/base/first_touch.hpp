// First touch: on NUMA machines, the thread that first writes a page decides in which memory it
// lies.
#pragma once

#include <tenfold/types.hpp>

namespace tenfold::base {

/// Sets `size` bytes to 0 with up to `threads` threads, one contiguous part each. The caller alone
/// does it for small memory.
void fill_with_zeros(void *memory, byte_count size, int threads) noexcept;

} // namespace tenfold::base
