// Any processor: 16-byte vectors in the compilers' own notation.
#pragma once

#include <stdint.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace {

struct registers {
    typedef int64_t reg __attribute__((vector_size(16)));
    static constexpr int64_t bytes = 16;

    static reg load(const void *p) {
        reg v;
        __builtin_memcpy(&v, p, sizeof v);
        return v;
    }
    static void store(void *p, reg v) { __builtin_memcpy(p, &v, sizeof v); }
    /// p is aligned to the register.
    static void stream(void *p, reg v) {
#if defined(__SSE2__)
        _mm_stream_si128(static_cast<__m128i *>(p), reinterpret_cast<__m128i>(v));
#else
        store(p, v);
#endif
    }

    /// The first `words` 4-byte words, none beyond them touched; 0 <= words <= 4.
    static reg load_part(const void *p, int64_t words) {
        reg v = {};
        for (int64_t k = 0; k < words; ++k)
            __builtin_memcpy(reinterpret_cast<char *>(&v) + 4 * k,
                             static_cast<const char *>(p) + 4 * k, 4);
        return v;
    }
    static void store_part(void *p, reg v, int64_t words) {
        for (int64_t k = 0; k < words; ++k)
            __builtin_memcpy(static_cast<char *>(p) + 4 * k,
                             reinterpret_cast<const char *>(&v) + 4 * k, 4);
    }

    /// Neighbours exchanged: (1, 0, 3, 2, ...).
    static reg swap32(reg v) {
        typedef int32_t words __attribute__((vector_size(16)));
        const words w = reinterpret_cast<words>(v);
        return reinterpret_cast<reg>(__builtin_shufflevector(w, w, 1, 0, 3, 2));
    }
    static reg swap64(reg v) { return __builtin_shufflevector(v, v, 1, 0); }
};

} // namespace
