// f16 widened to f32, which is exact.
#if defined(__F16C__)
#include <immintrin.h>
#endif

#include "gemm/kernels/entry_mixed.hpp"

namespace {

/// In integers, so that neither the rounding nor the flushing of subnormals that a program has set
/// matters. Scalars and vectors of words alike.
template <class Words, class Floats> inline Words widen_f16(Words bits) {
    const Words sign = (bits & 0x8000U) << 16;
    const Words magnitude = (bits & 0x7fffU) << 13; // exponents 112 too small
    const Words exponent = magnitude & 0x0f800000U;
    const Words normal = magnitude + (112U << 23);
    // Infinity and NaN have the largest exponent in both types.
    const Words special = magnitude | 0x7f800000U;
    // A subnormal is an integer times 2^-24; 0.5 + n 2^-24 - 0.5 has it normalised.
    const Floats half = (Floats)((bits & 0x3ffU) | 0x3f000000U);
    const Words subnormal = (Words)(half - 0.5F);
    const Words is_zero = (Words)(exponent == 0U);
    const Words is_full = (Words)(exponent == 0x0f800000U);
    return sign | (subnormal & is_zero) | (special & is_full) | (normal & ~(is_zero | is_full));
}

struct f16_widened {
    using source = uint16_t;
    static constexpr int group = 1;
    static constexpr bool corrected = false;

    static word part(source bits) {
#if defined(__F16C__)
        return ((words<4>)_mm_cvtph_ps(_mm_cvtsi32_si128(bits)))[0];
#else
        const source four[4] = {bits, bits, bits, bits};
        return parts<4>(four)[0];
#endif
    }
    static word whole(const source *x) { return part(*x); }
    template <int lanes> static words<lanes> parts(const source *x) {
#if defined(__AVX512F__)
        if constexpr (lanes == 16) {
            __m256i bits;
            __builtin_memcpy(&bits, x, sizeof bits);
            // Not _mm512_cvtph_ps, whose undefined operand GCC 12 warns of.
            return (words<16>)_mm512_maskz_cvtph_ps(0xffff, bits);
        }
#endif
#if defined(__F16C__)
        if constexpr (lanes == 8) {
            __m128i bits;
            __builtin_memcpy(&bits, x, sizeof bits);
            return (words<8>)_mm256_cvtph_ps(bits);
        }
#endif
        return widen_f16<words<lanes>, typename simd_of<float, lanes>::wide>(extend<lanes>(x));
    }
    template <int lanes> static words<lanes> steps(const source *x) { return parts<lanes>(x); }
};

} // namespace

TENFOLD_MIXED_KERNEL(f16, TENFOLD_F32_MR, TENFOLD_F32_NR, widened_kernel<f16_widened>)
