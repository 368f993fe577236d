// Non-temporal stores, which bypass the caches.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tenfold::base {

/// Non-temporal stores are not ordered with other stores; this fence makes them visible to later
/// readers.
inline void finish_streaming() noexcept {
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

} // namespace tenfold::base
