// Which threads write memory first: on machines with several memories that decides in which one its
// pages lie.
#pragma once

#include <tenfold/types.hpp>

namespace tenfold::base {

/// Bytes of 0, by up to `threads` threads, each a part of its own; small memory by the caller
/// alone.
void fill_with_zeros(void *memory, byte_count size, int threads) noexcept;

} // namespace tenfold::base
