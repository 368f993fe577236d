// Stores past the cache.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tenfold::base {

/// Streamed lines are not ordered with other stores; whoever reads them next must see them.
inline void finish_streaming() noexcept {
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

} // namespace tenfold::base
