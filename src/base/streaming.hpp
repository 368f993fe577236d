// Stores past the cache.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <tenfold/types.hpp>

namespace tenfold::base {

/// Bytes that no cache of today's machines keeps for whoever reads them next.
inline constexpr index_t beyond_caches = 32 << 20;

/// Streamed lines are not ordered with other stores; whoever reads them next must see them.
inline void finish_streaming() noexcept {
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

} // namespace tenfold::base
