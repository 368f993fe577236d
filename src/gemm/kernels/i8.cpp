// Products of signed 8-bit integers, exact modulo 2^32. Three ways to multiply words:
//
//   VNNI      four products of an unsigned and a signed byte per lane. A is made unsigned by adding
//             128; what that adds to a sum, 128 times the sum of B's column, is taken off at its
//             start: packing leaves it past B's last step.
//   madd      two products of 16-bit integers per lane, whose sum is at most 2 x 128 x 128.
//   portable  one product of 32-bit integers per lane.
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "gemm/kernels/entry_mixed.hpp"

namespace {

#if defined(__AVX512VNNI__)

/// Bytes with `flipped` bits: 0x80 turns a signed byte into the unsigned one that is 128 larger.
template <word flipped> struct bytes_in_words {
    using source = int8_t;
    static constexpr int group = 4;
    static constexpr bool corrected = true;

    static word part(source value) { return static_cast<uint8_t>(value) ^ flipped; }
    template <int lanes> static words<lanes> parts(const source *x) {
        return extend<lanes>(reinterpret_cast<const uint8_t *>(x)) ^ flipped;
    }
    template <int lanes> static words<lanes> steps(const source *x) {
        return load_words<lanes>(x) ^ (flipped * 0x01010101U);
    }
    /// -128 times the sums of B's columns; nothing for A.
    template <int R> static void finish(const word *panel, int64_t steps, word *to) {
        if constexpr (flipped == 0) {
            static_assert(R % 8 == 0);
            const __m256i ones = _mm256_set1_epi8(1);
            for (int r = 0; r < R; r += 8) {
                __m256i sum = _mm256_setzero_si256();
                for (int64_t p = 0; p < steps; ++p)
                    sum = _mm256_dpbusd_epi32(sum, ones, (__m256i)load_words<8>(panel + p * R + r));
                block_ops<word, 8>::store(to + r, (words<8>)sum * -128U);
            }
        }
    }
};
using format_a = bytes_in_words<0x80>;
using format_b = bytes_in_words<0>;

struct unit {
    using number = word;
    static constexpr bool corrected = true;
    static words<16> dot(words<16> sum, words<16> a, words<16> b) {
        return (words<16>)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)a, (__m512i)b);
    }
};

#elif defined(__AVX2__)

struct format_a {
    using source = int8_t;
    static constexpr int group = 2;
    static constexpr bool corrected = false;

    static word part(source value) { return static_cast<uint16_t>(value); }
    template <int lanes> static words<lanes> parts(const source *x) {
        return extend<lanes>(x) & 0xffffU;
    }
    template <int lanes> static words<lanes> steps(const source *x) {
        if constexpr (lanes == 16) {
#if defined(__AVX512F__)
            return (words<16>)_mm512_cvtepi8_epi16((__m256i)load_words<8>(x));
#endif
        } else if constexpr (lanes == 8) {
            return (words<8>)_mm256_cvtepi8_epi16((__m128i)load_words<4>(x));
        } else {
            int64_t bits;
            __builtin_memcpy(&bits, x, sizeof bits);
            return (words<4>)_mm_cvtepi8_epi16(_mm_cvtsi64_si128(bits));
        }
    }
};
using format_b = format_a;

struct unit {
    using number = word;
    static constexpr bool corrected = false;
    using wide = simd<word>::wide;
    static wide dot(wide sum, wide a, wide b) {
#if defined(__AVX512F__)
        return sum + (wide)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#else
        return sum + (wide)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#endif
    }
};

#else

struct format_a {
    using source = int8_t;
    static constexpr int group = 1;
    static constexpr bool corrected = false;

    static word part(source value) { return static_cast<word>(int32_t{value}); }
    template <int lanes> static words<lanes> parts(const source *x) { return extend<lanes>(x); }
    template <int lanes> static words<lanes> steps(const source *x) { return parts<lanes>(x); }
};
using format_b = format_a;

struct unit {
    using number = word;
    static constexpr bool corrected = false;
    using wide = simd<word>::wide;
    static wide dot(wide sum, wide a, wide b) { return sum + a * b; }
};

#endif

} // namespace

// f32's tile suits: a word is as wide, and so are the accumulators.
TENFOLD_MIXED_KERNEL(i8, TENFOLD_F32_MR, TENFOLD_F32_NR,
                     words_kernel<unit, format_a, format_b, TENFOLD_F32_MR, TENFOLD_F32_NR>)
