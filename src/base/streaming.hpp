// Non-temporal stores, which bypass the caches.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <tenfold/types.hpp>

namespace tenfold::base {

/// Bytes that stores past the caches write at once.
inline constexpr index_t streamed_line = 64;

/// Non-temporal stores are not ordered with other stores; this fence makes them visible to later
/// readers.
inline void finish_streaming() noexcept {
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

} // namespace tenfold::base
