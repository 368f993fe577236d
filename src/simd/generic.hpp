// Any processor: 16-byte vectors in the compilers' own notation. On 64-bit Arm this is NEON:
// all but parts of registers are single instructions there (zip1, zip2, rev64, ext, fcvtl, ...).
#pragma once

#include <stdint.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// Tiles of the micro-kernels, MR x NR (docs/kernel-contract.md); WORDS is that of bf16_dot.
#if defined(__aarch64__)
#define TENFOLD_F32_MR 16
#define TENFOLD_F32_NR 6
#define TENFOLD_F64_MR 8
#define TENFOLD_F64_NR 6
#define TENFOLD_C32_MR 8
#define TENFOLD_C32_NR 6
#define TENFOLD_C64_MR 4
#define TENFOLD_C64_NR 6
#define TENFOLD_WORDS_MR 4
#define TENFOLD_WORDS_NR 8
#else
#define TENFOLD_F32_MR 8
#define TENFOLD_F32_NR 4
#define TENFOLD_F64_MR 4
#define TENFOLD_F64_NR 4
#define TENFOLD_C32_MR 4
#define TENFOLD_C32_NR 4
#define TENFOLD_C64_MR 2
#define TENFOLD_C64_NR 4
#define TENFOLD_WORDS_MR 4
#define TENFOLD_WORDS_NR 8
#endif

namespace {

constexpr int register_bytes = 16;
#if defined(__aarch64__)
constexpr int register_count = 32;
#else
constexpr int register_count = 16;
#endif

template <int> struct lane_mask { typedef int64_t type; };

} // namespace

#include "simd/vectors.hpp"

namespace {

/// What the compiler must take for rounded, rather than contract a product into a later FMA.
template <class W> inline W rounded(W value) {
#if defined(__x86_64__)
    __asm__("" : "+x"(value));
#elif defined(__aarch64__)
    __asm__("" : "+w"(value));
#else
    __asm__("" : "+m"(value));
#endif
    return value;
}

template <class T, bool near = false> using factors = const T *;

/// As any other; `to` is aligned to the register.
template <class T> inline void stream(T *to, typename simd<T>::wide value) { store(to, value); }
/// After the last one of registers::stream.
inline void end_streams() {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

// The elements of a part move one by one, and the k loop has a branch that always goes the same
// way.
constexpr bool parts_cost_more = true;

template <class T> inline typename simd<T>::mask first_lanes(int64_t n) { return n; }
template <class T> inline typename simd<T>::wide load_part(const T *from, int64_t lanes) {
    if (lanes == simd<T>::length) [[likely]]
        return load(from);
    typename simd<T>::wide value = {from[0]};
#pragma GCC unroll 4
    for (int l = 1; l + 1 < simd<T>::length; ++l)
        if (l < lanes)
            value[l] = from[l];
    return value;
}
template <class T> inline void store_part(T *to, int64_t lanes, typename simd<T>::wide value) {
    if (lanes == simd<T>::length) [[likely]]
        return store(to, value);
    to[0] = value[0];
#pragma GCC unroll 4
    for (int l = 1; l + 1 < simd<T>::length; ++l)
        if (l < lanes)
            to[l] = value[l];
}

struct registers {
    typedef int64_t reg __attribute__((vector_size(16)));
    typedef int32_t half __attribute__((vector_size(8)));
    typedef uint16_t shorts __attribute__((vector_size(8))); ///< 2-byte elements, one for each word
    static constexpr int64_t bytes = 16;
    static constexpr int lanes = 1;
    static constexpr bool funnels = false;
    static constexpr bool picks = false;
    static constexpr bool own_networks = false;
#if defined(__SSE2__)
    static constexpr bool joins_lines = true;
#else
    static constexpr bool joins_lines = false; // there are no stores past the cache
#endif
#if defined(__aarch64__)
    static constexpr bool converts_f16 = true;
#else
    static constexpr bool converts_f16 = false;
#endif

    // Not memcpy, which GCC turns into pairs of integer registers on Arm.
    static reg load(const void *p) { return *static_cast<const reg_anywhere *>(p); }
    static half load_half(const void *p) { return *static_cast<const half_anywhere *>(p); }
    static void store(void *p, reg v) { *static_cast<reg_anywhere *>(p) = v; }
    static void store(void *p, half v) { *static_cast<half_anywhere *>(p) = v; }
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
    static reg load_words(reg v, const void *p, int64_t first, int64_t last) {
        words some = (words)v;
        load_word<0>(some, p, first, last);
        load_word<1>(some, p, first, last);
        load_word<2>(some, p, first, last);
        load_word<3>(some, p, first, last);
        return (reg)some;
    }
    static half load_words(half v, const void *p, int64_t first, int64_t last) {
        load_word<0>(v, p, first, last);
        load_word<1>(v, p, first, last);
        return v;
    }
    static void store_words(void *p, reg v, int64_t first, int64_t last) {
        store_word<0>(p, (words)v, first, last);
        store_word<1>(p, (words)v, first, last);
        store_word<2>(p, (words)v, first, last);
        store_word<3>(p, (words)v, first, last);
    }
    static void store_words(void *p, half v, int64_t first, int64_t last) {
        store_word<0>(p, v, first, last);
        store_word<1>(p, v, first, last);
    }

    static shorts load_shorts(const void *p) { return *static_cast<const shorts_anywhere *>(p); }
    static void store(void *p, shorts v) { *static_cast<shorts_anywhere *>(p) = v; }
    static void stream(void *p, shorts v) { store(p, v); }
    /// The same with 2-byte elements, of `shorts` or of a whole register.
    template <class V> static V load_shorts(V v, const void *p, int64_t first, int64_t last) {
        return load_shorts_singly(v, p, first, last);
    }
    template <class V> static void store_shorts(void *p, V v, int64_t first, int64_t last) {
        store_shorts_singly(p, v, first, last);
    }
    /// The same with bytes.
    static reg load_bytes(reg v, const void *p, int64_t first, int64_t last) {
        return load_bytes_unmasked(v, p, first, last);
    }
    static void store_bytes(void *p, reg v, int64_t first, int64_t last) {
        store_bytes_unmasked(p, v, first, last);
    }

    /// The one lane, its first `words` 4-byte words; the others are zero.
    static reg from_lanes(const char *const *p, int, int64_t offset, int64_t words) {
        return load_words(reg{}, p[0] + offset, 0, words);
    }
    static reg from_lanes(const char *const *p, int, int64_t offset) { return load(p[0] + offset); }
    static void store_lanes(char *p, const int64_t *at, int, reg v, int64_t words) {
        store_words(p + at[0], v, 0, words);
    }

    static reg widen(half v) { return (reg) __builtin_convertvector((float_pair)v, double_pair); }
    static half narrow(reg v) { return (half) __builtin_convertvector((double_pair)v, float_pair); }

    /// Each element in a word, above it zeros; the lower half of each word.
    static reg words_of(shorts v) { return (reg) __builtin_convertvector(v, unsigned_words); }
    static shorts shorts_of(reg words) {
        return __builtin_convertvector((unsigned_words)words, shorts);
    }
#if defined(__aarch64__)
    static reg widen_f16(shorts v) {
        return (reg) __builtin_convertvector((short_floats)v, float_words);
    }
    static shorts narrow_f16(reg v) {
        return (shorts) __builtin_convertvector((float_words)v, short_floats);
    }
#endif

    static reg low8(reg a, reg b) {
        return (reg)__builtin_shufflevector((byte_elements)a, (byte_elements)b, 0, 16, 1, 17, 2, 18,
                                            3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    }
    static reg high8(reg a, reg b) {
        return (reg)__builtin_shufflevector((byte_elements)a, (byte_elements)b, 8, 24, 9, 25, 10,
                                            26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    }
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
    typedef reg reg_anywhere __attribute__((aligned(1), may_alias));
    typedef half half_anywhere __attribute__((aligned(4), may_alias));
    typedef shorts shorts_anywhere __attribute__((aligned(2), may_alias));
    typedef uint8_t byte_elements __attribute__((vector_size(16)));
    typedef int32_t words __attribute__((vector_size(16)));
    typedef uint32_t unsigned_words __attribute__((vector_size(16)));
#if defined(__aarch64__)
    typedef __fp16 short_floats __attribute__((vector_size(8)));
    typedef float float_words __attribute__((vector_size(16)));
#endif
    typedef float float_pair __attribute__((vector_size(8)));
    typedef double double_pair __attribute__((vector_size(16)));

    /// Word K alone. A loop over words would keep v in memory: only a constant place is one
    /// instruction away from its register.
    template <int K, class V>
    static void load_word(V &v, const void *p, int64_t first, int64_t last) {
        if (first <= K && K < last) {
            int32_t word;
            __builtin_memcpy(&word, static_cast<const char *>(p) + 4 * K, 4);
            v[K] = word;
        }
    }
    template <int K, class V> static void store_word(void *p, V v, int64_t first, int64_t last) {
        if (first <= K && K < last) {
            const int32_t word = v[K];
            __builtin_memcpy(static_cast<char *>(p) + 4 * K, &word, 4);
        }
    }
};

} // namespace
