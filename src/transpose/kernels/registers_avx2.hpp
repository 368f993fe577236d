// AVX2: 32-byte registers of two 128-bit lanes.
#pragma once

#include <immintrin.h>
#include <stdint.h>

namespace {

struct registers {
    using reg = __m256i;
    using half = __m128i;
    static constexpr int64_t bytes = 32;
    static constexpr int lanes = 2;
    static constexpr bool funnels = false;
    static constexpr bool picks = false;
    static constexpr bool own_networks = false;

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
    static void store_words(void *p, reg v, int64_t first, int64_t last) {
        _mm256_maskstore_epi32(static_cast<int *>(p), mask(first, last), v);
    }
    static void store_words(void *p, half v, int64_t first, int64_t last) {
        _mm_maskstore_epi32(static_cast<int *>(p), _mm256_castsi256_si128(mask(first, last)), v);
    }

    /// Lanes from two places, of each the first `words` 4-byte words; the others are zero.
    static reg from_lanes(const char *const *p, int step, int64_t offset, int64_t words) {
        const half some = _mm256_castsi256_si128(mask(0, words));
        const auto lane = [&](int k) {
            return _mm_maskload_epi32(reinterpret_cast<const int *>(p[k * step] + offset), some);
        };
        return _mm256_inserti128_si256(_mm256_castsi128_si256(lane(0)), lane(1), 1);
    }
    /// The first `words` words of each lane, to places step apart in `at`.
    static void store_lanes(char *p, const int64_t *at, int step, reg v, int64_t words) {
        const half some = _mm256_castsi256_si128(mask(0, words));
        _mm_maskstore_epi32(reinterpret_cast<int *>(p + at[0]), some, _mm256_castsi256_si128(v));
        _mm_maskstore_epi32(reinterpret_cast<int *>(p + at[step]), some,
                            _mm256_extracti128_si256(v, 1));
    }

    static reg widen(half v) { return (reg)_mm256_cvtps_pd((__m128)v); }
    static half narrow(reg v) { return (half)_mm256_cvtpd_ps((__m256d)v); }

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

private:
    static reg mask(int64_t first, int64_t last) {
        const reg k = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        return _mm256_and_si256(
            _mm256_cmpgt_epi32(k, _mm256_set1_epi32(static_cast<int>(first) - 1)),
            _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(last)), k));
    }
};

} // namespace
