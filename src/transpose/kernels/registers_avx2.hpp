// AVX2: 32-byte registers of two 128-bit lanes.
#pragma once

#include <immintrin.h>
#include <stdint.h>

namespace {

struct registers {
    using reg = __m256i;
    static constexpr int64_t bytes = 32;
    static constexpr int lanes = 2;

    static reg load(const void *p) { return _mm256_loadu_si256(static_cast<const reg *>(p)); }
    static void store(void *p, reg v) { _mm256_storeu_si256(static_cast<reg *>(p), v); }
    /// p is aligned to the register.
    static void stream(void *p, reg v) { _mm256_stream_si256(static_cast<reg *>(p), v); }

    /// The first `words` 4-byte words, none beyond them touched; 0 <= words <= 8.
    static reg load_part(const void *p, int64_t words) {
        return _mm256_maskload_epi32(static_cast<const int *>(p), mask(words));
    }
    static void store_part(void *p, reg v, int64_t words) {
        _mm256_maskstore_epi32(static_cast<int *>(p), mask(words), v);
    }

    static reg low16(reg a, reg b) { return _mm256_unpacklo_epi16(a, b); }
    static reg high16(reg a, reg b) { return _mm256_unpackhi_epi16(a, b); }
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
    static reg mask(int64_t words) {
        return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(words)),
                                  _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    }
};

} // namespace
