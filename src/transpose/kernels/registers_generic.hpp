// Any processor: 16-byte vectors in the compilers' own notation.
#pragma once

#include <stdint.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace {

struct registers {
    typedef int64_t reg __attribute__((vector_size(16)));
    typedef int32_t half __attribute__((vector_size(8)));
    static constexpr int64_t bytes = 16;
    static constexpr int lanes = 1;
    static constexpr bool funnels = false;
    static constexpr bool picks = false;

    static reg load(const void *p) {
        reg v;
        __builtin_memcpy(&v, p, sizeof v);
        return v;
    }
    static half load_half(const void *p) {
        half v;
        __builtin_memcpy(&v, p, sizeof v);
        return v;
    }
    static void store(void *p, reg v) { __builtin_memcpy(p, &v, sizeof v); }
    static void store(void *p, half v) { __builtin_memcpy(p, &v, sizeof v); }
    /// p is aligned to the register.
    static void stream(void *p, reg v) {
#if defined(__SSE2__)
        _mm_stream_si128(static_cast<__m128i *>(p), reinterpret_cast<__m128i>(v));
#else
        store(p, v);
#endif
    }
    static void stream(void *p, half v) { store(p, v); }

    /// The 4-byte words first <= k < last of the register at p, none beyond them touched; the
    /// others are v's.
    template <class V> static V load_words(V v, const void *p, int64_t first, int64_t last) {
        for (int64_t k = first; k < last; ++k)
            __builtin_memcpy(reinterpret_cast<char *>(&v) + 4 * k,
                             static_cast<const char *>(p) + 4 * k, 4);
        return v;
    }
    template <class V> static void store_words(void *p, V v, int64_t first, int64_t last) {
        for (int64_t k = first; k < last; ++k)
            __builtin_memcpy(static_cast<char *>(p) + 4 * k,
                             reinterpret_cast<const char *>(&v) + 4 * k, 4);
    }

    /// The one lane, its first `words` 4-byte words; the others are zero.
    static reg from_lanes(const char *const *p, int, int64_t offset, int64_t words) {
        return load_words(reg{}, p[0] + offset, 0, words);
    }
    static void store_lanes(char *p, const int64_t *at, int, reg v, int64_t words) {
        store_words(p + at[0], v, 0, words);
    }

    static reg widen(half v) { return (reg) __builtin_convertvector((float_pair)v, double_pair); }
    static half narrow(reg v) { return (half) __builtin_convertvector((double_pair)v, float_pair); }

    static reg low32(reg a, reg b) {
        return (reg)__builtin_shufflevector((words)a, (words)b, 0, 4, 1, 5);
    }
    static reg high32(reg a, reg b) {
        return (reg)__builtin_shufflevector((words)a, (words)b, 2, 6, 3, 7);
    }
    static reg low64(reg a, reg b) { return __builtin_shufflevector(a, b, 0, 2); }
    static reg high64(reg a, reg b) { return __builtin_shufflevector(a, b, 1, 3); }

    /// One lane: nothing to exchange.
    static void transpose_lanes(reg *, int) {}

    /// Neighbours exchanged: (1, 0, 3, 2, ...).
    static reg swap32(reg v) {
        return (reg)__builtin_shufflevector((words)v, (words)v, 1, 0, 3, 2);
    }
    static reg swap64(reg v) { return __builtin_shufflevector(v, v, 1, 0); }

private:
    typedef int32_t words __attribute__((vector_size(16)));
    typedef float float_pair __attribute__((vector_size(8)));
    typedef double double_pair __attribute__((vector_size(16)));
};

} // namespace
