// Non-temporal stores, which bypass the caches.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <tenfold/types.hpp>

namespace tenfold::base {

/// Outputs of more bytes do not stay in the caches of current machines until they are read again.
inline constexpr index_t beyond_caches = 32 << 20;

/// Non-temporal stores are not ordered with other stores; this fence makes them visible to later
/// readers.
inline void finish_streaming() noexcept {
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

} // namespace tenfold::base
