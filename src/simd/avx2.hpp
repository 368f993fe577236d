// AVX2: 32-byte registers of two 128-bit lanes.
#pragma once

#include <immintrin.h>
#include <stdint.h>

// Tiles of the micro-kernels, MR x NR (docs/kernel-contract.md); WORDS is that of bf16_dot.
#define TENFOLD_F32_MR 16
#define TENFOLD_F32_NR 6
#define TENFOLD_F64_MR 8
#define TENFOLD_F64_NR 6
#define TENFOLD_C32_MR 8
#define TENFOLD_C32_NR 6
#define TENFOLD_C64_MR 4
#define TENFOLD_C64_NR 6
#define TENFOLD_WORDS_MR 8
#define TENFOLD_WORDS_NR 8

namespace {

constexpr int register_bytes = 32;
constexpr int register_count = 16;

template <int> struct lane_mask { typedef int64_t type; };

} // namespace

#include "simd/vectors.hpp"

namespace {

/// What the compiler must take for rounded, rather than contract a product into a later FMA.
template <class W> inline W rounded(W value) {
    __asm__("" : "+x"(value));
    return value;
}

template <class T, bool near = false> using factors = const T *;

/// Past the cache; `to` is aligned to the register.
template <class T> inline void stream(T *to, typename simd<T>::wide value) {
    _mm256_stream_si256(reinterpret_cast<__m256i *>(to), (__m256i)value);
}
/// After the last of them.
inline void end_streams() { _mm_sfence(); }

// Masks are numbers of lanes: a function that is given a register leaves it to its caller to clear
// upper halves (vzeroupper), and SSE code that finds them in use takes 100 ns more on Zen 3. Masks
// load, but halves are stored, since AMD's processors do masked stores in microcode.
constexpr bool parts_cost_more = true;

template <class T> inline typename simd<T>::mask first_lanes(int64_t n) { return n; }
/// The first n lanes.
inline __m256i mask_of(const float *, int64_t n) {
    static constexpr int32_t lanes[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
    return _mm256_loadu_si256(reinterpret_cast<const __m256i_u *>(lanes + 8 - n));
}
inline __m256i mask_of(const double *, int64_t n) {
    static constexpr int64_t lanes[8] = {-1, -1, -1, -1};
    return _mm256_loadu_si256(reinterpret_cast<const __m256i_u *>(lanes + 4 - n));
}
inline simd<float>::wide load_part(const float *from, int64_t lanes) {
    return (simd<float>::wide)_mm256_maskload_ps(from, mask_of(from, lanes));
}
inline simd<double>::wide load_part(const double *from, int64_t lanes) {
    return (simd<double>::wide)_mm256_maskload_pd(from, mask_of(from, lanes));
}
inline void store_part(float *to, int64_t lanes, simd<float>::wide value) {
    if (lanes == simd<float>::length) [[likely]]
        return store(to, value);
    __m128 part = _mm256_castps256_ps128((__m256)value);
    if (lanes & 4) {
        _mm_storeu_ps(to, part);
        part = _mm256_extractf128_ps((__m256)value, 1);
        to += 4;
    }
    if (lanes & 2) {
        _mm_storel_pi(reinterpret_cast<__m64 *>(to), part);
        part = _mm_movehl_ps(part, part);
        to += 2;
    }
    if (lanes & 1)
        _mm_store_ss(to, part);
}
inline void store_part(double *to, int64_t lanes, simd<double>::wide value) {
    if (lanes == simd<double>::length) [[likely]]
        return store(to, value);
    __m128d part = _mm256_castpd256_pd128((__m256d)value);
    if (lanes & 2) {
        _mm_storeu_pd(to, part);
        part = _mm256_extractf128_pd((__m256d)value, 1);
        to += 2;
    }
    if (lanes & 1)
        _mm_store_sd(to, part);
}

struct registers {
    using reg = __m256i;
    using half = __m128i;
    using shorts = half; ///< as many 2-byte elements as a register has words
    static constexpr int64_t bytes = 32;
    static constexpr int lanes = 2;
    static constexpr bool funnels = true;
    static constexpr bool picks = false;
    static constexpr bool own_networks = false;
    static constexpr bool joins_lines = true;
    static constexpr bool converts_f16 = true;

    static reg load(const void *p) { return _mm256_loadu_si256(static_cast<const reg *>(p)); }
    static half load_half(const void *p) { return _mm_loadu_si128(static_cast<const half *>(p)); }
    static void store(void *p, reg v) { _mm256_storeu_si256(static_cast<reg *>(p), v); }
    static void store(void *p, half v) { _mm_storeu_si128(static_cast<half *>(p), v); }
    /// p is aligned to the register.
    static void stream(void *p, reg v) { _mm256_stream_si256(static_cast<reg *>(p), v); }
    static void stream(void *p, half v) { _mm_stream_si128(static_cast<half *>(p), v); }

    /// The 4-byte words first <= k < last of the register at p, none beyond them touched; the
    /// others are v's.
    static reg load_words(reg v, const void *p, int64_t first, int64_t last) {
        const reg wanted = mask(first, last);
        return _mm256_blendv_epi8(v, _mm256_maskload_epi32(static_cast<const int *>(p), wanted),
                                  wanted);
    }
    static half load_words(half v, const void *p, int64_t first, int64_t last) {
        const half wanted = _mm256_castsi256_si128(mask(first, last));
        return _mm_blendv_epi8(v, _mm_maskload_epi32(static_cast<const int *>(p), wanted), wanted);
    }
    // No masks: on AMD's processors a masked store takes as long as a dozen others.
    static void store_words(void *p, reg v, int64_t first, int64_t last) {
        if (first > 0)
            v = rotated(v, {rotation(-first), v, v});
        char *to = static_cast<char *>(p) + 4 * first;
        half rest = _mm256_castsi256_si128(v);
        if (last - first >= 8)
            return store(to, v);
        if (last - first >= 4) {
            store(to, rest);
            to += 16;
            rest = _mm256_extracti128_si256(v, 1);
        }
        store_less(to, rest, last - first);
    }
    static void store_words(void *p, half v, int64_t first, int64_t last) {
        if (first > 0)
            v = _mm256_castsi256_si128(
                _mm256_permutevar8x32_epi32(_mm256_castsi128_si256(v), rotation(-first)));
        char *const to = static_cast<char *>(p) + 4 * first;
        if (last - first >= 4)
            return store(to, v);
        store_less(to, v, last - first);
    }

    static shorts load_shorts(const void *p) { return load_half(p); }
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

    /// Lanes from two places, of each the first `words` 4-byte words; the others are zero.
    static reg from_lanes(const char *const *p, int step, int64_t offset, int64_t words) {
        const half some = _mm256_castsi256_si128(mask(0, words));
        const auto lane = [&](int k) {
            return _mm_maskload_epi32(reinterpret_cast<const int *>(p[k * step] + offset), some);
        };
        return _mm256_inserti128_si256(_mm256_castsi128_si256(lane(0)), lane(1), 1);
    }
    /// Whole lanes.
    static reg from_lanes(const char *const *p, int step, int64_t offset) {
        return _mm256_inserti128_si256(_mm256_castsi128_si256(load_half(p[0] + offset)),
                                       load_half(p[step] + offset), 1);
    }
    /// The first `words` words of each lane, to places step apart in `at`.
    static void store_lanes(char *p, const int64_t *at, int step, reg v, int64_t words) {
        store_words(p + at[0], _mm256_castsi256_si128(v), 0, words);
        store_words(p + at[step], _mm256_extracti128_si256(v, 1), 0, words);
    }

    static reg widen(half v) { return (reg)_mm256_cvtps_pd((__m128)v); }
    static half narrow(reg v) { return (half)_mm256_cvtpd_ps((__m256d)v); }

    /// Each element in a word, above it zeros; the lower half of each word.
    static reg words_of(shorts v) { return _mm256_cvtepu16_epi32(v); }
    static shorts shorts_of(reg words) {
        const reg low = _mm256_and_si256(words, _mm256_set1_epi32(0xffff));
        return _mm_packus_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
    }
    static reg widen_f16(shorts v) { return (reg)_mm256_cvtph_ps(v); }
    static shorts narrow_f16(reg v) {
        return _mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    }

    static reg low8(reg a, reg b) { return _mm256_unpacklo_epi8(a, b); }
    static reg high8(reg a, reg b) { return _mm256_unpackhi_epi8(a, b); }
    static reg low32(reg a, reg b) { return _mm256_unpacklo_epi32(a, b); }
    static reg high32(reg a, reg b) { return _mm256_unpackhi_epi32(a, b); }
    static reg low64(reg a, reg b) { return _mm256_unpacklo_epi64(a, b); }
    static reg high64(reg a, reg b) { return _mm256_unpackhi_epi64(a, b); }

    /// The 2 x 2 transposition of the 128-bit lanes of r[0] and r[step].
    static void transpose_lanes(reg *r, int step) {
        const reg low = _mm256_permute2x128_si256(r[0], r[step], 0x20);
        r[step] = _mm256_permute2x128_si256(r[0], r[step], 0x31);
        r[0] = low;
    }

    /// Neighbours exchanged: (1, 0, 3, 2, ...).
    static reg swap32(reg v) { return _mm256_shuffle_epi32(v, 0xb1); }
    static reg swap64(reg v) { return _mm256_shuffle_epi32(v, 0x4e); }

    /// How far registers are shifted, in 4-byte words: less than two registers.
    struct shift {
        reg rotation;
        reg front; ///< words that come from the register before
        reg far;   ///< all, where the shift is a register or more
    };
    static shift shift_by(int64_t words) {
        alignas(32) static constexpr int32_t from[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
        return {rotation(words), load(from + 8 - words % 8),
                _mm256_set1_epi32(words >= 8 ? -1 : 0)};
    }
    static reg rotated(reg v, const shift &by) {
        return _mm256_permutevar8x32_epi32(v, by.rotation);
    }
    /// Of two registers waiting, and those that follow, all rotated: the k-th register from the
    /// first one's begin, the shift earlier than the two end.
    static reg joined(const reg *p, int k, const shift &by) {
        const reg before = _mm256_blendv_epi8(p[k + 1], p[k], by.far);
        const reg after = _mm256_blendv_epi8(p[k + 2], p[k + 1], by.far);
        return _mm256_blendv_epi8(after, before, by.front);
    }

private:
    /// Word k goes to place (k + words) % 8.
    static reg rotation(int64_t words) {
        alignas(32) static constexpr int32_t counting[16] = {0, 1, 2, 3, 4, 5, 6, 7,
                                                             0, 1, 2, 3, 4, 5, 6, 7};
        return load(counting + (-words & 7));
    }
    /// Less than half a register.
    static void store_less(char *to, half v, int64_t words) {
        if (words & 2) {
            _mm_storel_epi64(reinterpret_cast<half *>(to), v);
            to += 8;
            v = _mm_unpackhi_epi64(v, v);
        }
        if (words & 1)
            _mm_storeu_si32(to, v);
    }
    static reg mask(int64_t first, int64_t last) {
        const reg k = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        return _mm256_and_si256(
            _mm256_cmpgt_epi32(k, _mm256_set1_epi32(static_cast<int>(first) - 1)),
            _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(last)), k));
    }
};

} // namespace
