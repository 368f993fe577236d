// AVX-512: 64-byte registers of four 128-bit lanes. A cache line is one register.
#pragma once

// GCC 12's own header starts from undefined registers and then warns of them (GCC bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#include <stdint.h>

namespace {

struct registers {
    using reg = __m512i;
    static constexpr int64_t bytes = 64;
    static constexpr int lanes = 4;

    static reg load(const void *p) { return _mm512_loadu_si512(p); }
    static void store(void *p, reg v) { _mm512_storeu_si512(p, v); }
    /// p is aligned to the register.
    static void stream(void *p, reg v) { _mm512_stream_si512(static_cast<__m512i *>(p), v); }

    /// The first `words` 4-byte words, none beyond them touched; 0 <= words <= 16.
    static reg load_part(const void *p, int64_t words) {
        return _mm512_maskz_loadu_epi32(mask(words), p);
    }
    static void store_part(void *p, reg v, int64_t words) {
        _mm512_mask_storeu_epi32(p, mask(words), v);
    }

    static reg low16(reg a, reg b) { return _mm512_unpacklo_epi16(a, b); }
    static reg high16(reg a, reg b) { return _mm512_unpackhi_epi16(a, b); }
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

private:
    static __mmask16 mask(int64_t words) {
        return static_cast<__mmask16>((1U << static_cast<unsigned>(words)) - 1U);
    }
};

} // namespace
