// AVX-512: 64-byte registers of four 128-bit lanes, and masks. A cache line is one register.
#pragma once

// GCC 12's own header starts from undefined registers and then warns of them (GCC bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#include <stdint.h>

// Tiles of the micro-kernels, MR x NR (docs/kernel-contract.md); WORDS is that of bf16_dot.
#define TENFOLD_F32_MR 48
#define TENFOLD_F32_NR 8
#define TENFOLD_F64_MR 24
#define TENFOLD_F64_NR 8
#define TENFOLD_C32_MR 48
#define TENFOLD_C32_NR 4
#define TENFOLD_C64_MR 24
#define TENFOLD_C64_NR 4
#define TENFOLD_WORDS_MR 48
#define TENFOLD_WORDS_NR 8

namespace {

constexpr int register_bytes = 64;
constexpr int register_count = 32;

template <int size> struct lane_mask;
template <> struct lane_mask<4> { typedef __mmask16 type; };
template <> struct lane_mask<8> { typedef __mmask8 type; };

} // namespace

#include "simd/vectors.hpp"

namespace {

/// What the compiler must take for rounded, rather than contract a product into a later FMA.
template <class W> inline W rounded(W value) {
    __asm__("" : "+v"(value));
    return value;
}

template <class T, bool near = false> using factors = const T *;

/// Past the cache; `to` is aligned to the register.
template <class T> inline void stream(T *to, typename simd<T>::wide value) {
    _mm512_stream_si512(reinterpret_cast<__m512i *>(to), (__m512i)value);
}
/// After the last of them.
inline void end_streams() { _mm_sfence(); }

constexpr bool parts_cost_more = false;

template <class T> inline typename simd<T>::mask first_lanes(int64_t n) {
    return static_cast<typename simd<T>::mask>((1U << n) - 1);
}
inline simd<float>::wide load_part(const float *from, simd<float>::mask some) {
    return (simd<float>::wide)_mm512_maskz_loadu_ps(some, from);
}
inline simd<double>::wide load_part(const double *from, simd<double>::mask some) {
    return (simd<double>::wide)_mm512_maskz_loadu_pd(some, from);
}
inline void store_part(float *to, simd<float>::mask some, simd<float>::wide value) {
    _mm512_mask_storeu_ps(to, some, (__m512)value);
}
inline void store_part(double *to, simd<double>::mask some, simd<double>::wide value) {
    _mm512_mask_storeu_pd(to, some, (__m512d)value);
}

struct registers {
    using reg = __m512i;
    using half = __m256i;
    using shorts = half; ///< as many 2-byte elements as a register has words
    static constexpr int64_t bytes = 64;
    static constexpr int lanes = 4;
    static constexpr bool funnels = true;
    static constexpr bool picks = true;
    static constexpr bool own_networks = false;
    static constexpr bool joins_lines = false;
    static constexpr bool converts_f16 = true;

    static reg load(const void *p) { return _mm512_loadu_si512(p); }
    static half load_half(const void *p) {
        return _mm256_loadu_si256(static_cast<const half *>(p));
    }
    static void store(void *p, reg v) { _mm512_storeu_si512(p, v); }
    static void store(void *p, half v) { _mm256_storeu_si256(static_cast<half *>(p), v); }
    /// p is aligned to the register.
    static void stream(void *p, reg v) { _mm512_stream_si512(static_cast<reg *>(p), v); }
    static void stream(void *p, half v) { _mm256_stream_si256(static_cast<half *>(p), v); }

    /// The 4-byte words first <= k < last of the register at p, none beyond them touched; the
    /// others are v's. Not for first == last where it stores: that still claims the line.
    static reg load_words(reg v, const void *p, int64_t first, int64_t last) {
        return _mm512_mask_loadu_epi32(v, mask(first, last), p);
    }
    static half load_words(half v, const void *p, int64_t first, int64_t last) {
        return _mm256_mask_loadu_epi32(v, static_cast<__mmask8>(mask(first, last)), p);
    }
    static void store_words(void *p, reg v, int64_t first, int64_t last) {
        _mm512_mask_storeu_epi32(p, mask(first, last), v);
    }
    static void store_words(void *p, half v, int64_t first, int64_t last) {
        _mm256_mask_storeu_epi32(p, static_cast<__mmask8>(mask(first, last)), v);
    }

    static shorts load_shorts(const void *p) { return load_half(p); }
    /// The same with 2-byte elements, of `shorts` or of a whole register.
    static shorts load_shorts(shorts v, const void *p, int64_t first, int64_t last) {
        return _mm256_mask_loadu_epi16(v, mask(first, last), p);
    }
    static reg load_shorts(reg v, const void *p, int64_t first, int64_t last) {
        return _mm512_mask_loadu_epi16(v, short_mask(first, last), p);
    }
    static void store_shorts(void *p, shorts v, int64_t first, int64_t last) {
        _mm256_mask_storeu_epi16(p, mask(first, last), v);
    }
    static void store_shorts(void *p, reg v, int64_t first, int64_t last) {
        _mm512_mask_storeu_epi16(p, short_mask(first, last), v);
    }
    /// The same with bytes.
    static reg load_bytes(reg v, const void *p, int64_t first, int64_t last) {
        return _mm512_mask_loadu_epi8(v, byte_mask(first, last), p);
    }
    static void store_bytes(void *p, reg v, int64_t first, int64_t last) {
        _mm512_mask_storeu_epi8(p, byte_mask(first, last), v);
    }

    /// Lanes from four places, of each the first `words` 4-byte words; the others are zero.
    static reg from_lanes(const char *const *p, int step, int64_t offset, int64_t words) {
        const auto some = static_cast<__mmask8>(mask(0, words));
        const auto lane = [&](int k) { return _mm_maskz_loadu_epi32(some, p[k * step] + offset); };
        reg v = _mm512_castsi128_si512(lane(0));
        v = _mm512_inserti32x4(v, lane(1), 1);
        v = _mm512_inserti32x4(v, lane(2), 2);
        return _mm512_inserti32x4(v, lane(3), 3);
    }
    /// Whole lanes.
    static reg from_lanes(const char *const *p, int step, int64_t offset) {
        const auto lane = [&](int k) {
            return _mm_loadu_si128(reinterpret_cast<const __m128i *>(p[k * step] + offset));
        };
        reg v = _mm512_castsi128_si512(lane(0));
        v = _mm512_inserti32x4(v, lane(1), 1);
        v = _mm512_inserti32x4(v, lane(2), 2);
        return _mm512_inserti32x4(v, lane(3), 3);
    }
    /// Halves from two places, likewise.
    static reg from_halves(const char *low, const char *high, int64_t words) {
        const auto some = static_cast<__mmask8>(mask(0, words));
        return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_maskz_loadu_epi32(some, low)),
                                  _mm256_maskz_loadu_epi32(some, high), 1);
    }
    /// The first `words` words of each lane, to places step apart in `at`.
    static void store_lanes(char *p, const int64_t *at, int step, reg v, int64_t words) {
        const auto some = static_cast<__mmask8>(mask(0, words));
        const auto store_lane = [&](int k, __m128i lane) {
            // Compilers would make this and the extraction one instruction, vextracti32x4 with a
            // mask: the one kind of masked store that faults for words that the mask leaves out.
            __asm__("" : "+v"(lane));
            _mm_mask_storeu_epi32(p + at[k * step], some, lane);
        };
        store_lane(0, _mm512_castsi512_si128(v));
        store_lane(1, _mm512_extracti32x4_epi32(v, 1));
        store_lane(2, _mm512_extracti32x4_epi32(v, 2));
        store_lane(3, _mm512_extracti32x4_epi32(v, 3));
    }
    /// Lanes 0 and 2 of a, then of b; lanes 1 and 3.
    static reg even_lanes(reg a, reg b) { return _mm512_shuffle_i32x4(a, b, 0x88); }
    static reg odd_lanes(reg a, reg b) { return _mm512_shuffle_i32x4(a, b, 0xdd); }

    static reg widen(half v) { return (reg)_mm512_cvtps_pd((__m256)v); }
    static half narrow(reg v) { return (half)_mm512_cvtpd_ps((__m512d)v); }

    /// Each element in a word, above it zeros; the lower half of each word.
    static reg words_of(shorts v) { return _mm512_cvtepu16_epi32(v); }
    static shorts shorts_of(reg words) { return _mm512_cvtepi32_epi16(words); }
    static reg widen_f16(shorts v) { return (reg)_mm512_cvtph_ps(v); }
    static shorts narrow_f16(reg v) {
        return _mm512_cvtps_ph((__m512)v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    }

    static reg low8(reg a, reg b) { return _mm512_unpacklo_epi8(a, b); }
    static reg high8(reg a, reg b) { return _mm512_unpackhi_epi8(a, b); }
    static reg low32(reg a, reg b) { return _mm512_unpacklo_epi32(a, b); }
    static reg high32(reg a, reg b) { return _mm512_unpackhi_epi32(a, b); }
    static reg low64(reg a, reg b) { return _mm512_unpacklo_epi64(a, b); }
    static reg high64(reg a, reg b) { return _mm512_unpackhi_epi64(a, b); }

    /// The 4 x 4 transposition of the 128-bit lanes of r[0], r[step], r[2 step], r[3 step].
    static void transpose_lanes(reg *r, int step) {
        reg &a = r[0];
        reg &b = r[step];
        reg &c = r[2 * step];
        reg &d = r[3 * step];
        const reg ab_low = _mm512_shuffle_i32x4(a, b, 0x44); // a0 a1 b0 b1
        const reg ab_high = _mm512_shuffle_i32x4(a, b, 0xee);
        const reg cd_low = _mm512_shuffle_i32x4(c, d, 0x44);
        const reg cd_high = _mm512_shuffle_i32x4(c, d, 0xee);
        a = _mm512_shuffle_i32x4(ab_low, cd_low, 0x88); // a0 b0 c0 d0
        b = _mm512_shuffle_i32x4(ab_low, cd_low, 0xdd);
        c = _mm512_shuffle_i32x4(ab_high, cd_high, 0x88);
        d = _mm512_shuffle_i32x4(ab_high, cd_high, 0xdd);
    }

    /// Neighbours exchanged: (1, 0, 3, 2, ...).
    static reg swap32(reg v) { return _mm512_shuffle_epi32(v, _MM_PERM_CDAB); }
    static reg swap64(reg v) { return _mm512_shuffle_epi32(v, _MM_PERM_BADC); }

    /// The last `words` words of `before`, then the first ones of `after`.
    static reg funnel(reg before, reg after, int64_t words) {
        return _mm512_permutex2var_epi32(before, funnel_of(words), after);
    }

    /// Words of v at `index`; where `from` says so, of `v` instead of `others`.
    static reg pick(reg v, reg index) { return _mm512_permutexvar_epi32(index, v); }
    static reg pick(reg others, reg v, reg index, uint16_t from) {
        return _mm512_mask_permutexvar_epi32(others, from, index, v);
    }

private:
    static __mmask64 first_bytes(int64_t n) {
        return n >= bytes ? ~__mmask64{0} : (__mmask64{1} << static_cast<unsigned>(n)) - 1;
    }
    static __mmask64 byte_mask(int64_t first, int64_t last) {
        return first_bytes(last) & ~first_bytes(first);
    }
    static __mmask32 short_mask(int64_t first, int64_t last) {
        return static_cast<__mmask32>((uint64_t{1} << static_cast<unsigned>(last)) -
                                      (uint64_t{1} << static_cast<unsigned>(first)));
    }
    static __mmask16 mask(int64_t first, int64_t last) {
        return static_cast<__mmask16>((1U << static_cast<unsigned>(last)) -
                                      (1U << static_cast<unsigned>(first)));
    }
    /// 16 - words, 17 - words, ...: a window on what follows, loaded rather than computed.
    static reg funnel_of(int64_t words) {
        alignas(64) static constexpr int32_t counting[32] = {
            0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
            16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
        return _mm512_loadu_si512(counting + 16 - words);
    }
};

} // namespace
