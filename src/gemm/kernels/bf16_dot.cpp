// bf16 by dot products of pairs: AVX-512's VDPBF16PS, or the same bit for bit. It adds, in this
// order, the products of the odd and of the even elements to an f32 sum, each by a fused
// multiply-add that rounds to nearest even, takes subnormal inputs for zero and flushes subnormal
// results to zero, whatever MXCSR says (Intel, Architecture Instruction Set Extensions and Future
// Features, VDPBF16PS; AMD's Zen 5 does the same).
#if defined(__AVX512BF16__)
#include <immintrin.h>
#endif

#include "gemm/kernels/entry_mixed.hpp"

namespace {

struct pairs {
    using source = uint16_t;
    static constexpr int group = 2;
    static constexpr bool corrected = false;

    static word part(source bits) { return bits; }
    static word whole(const source *x) { return load_word(x); }
    template <int lanes> static words<lanes> parts(const source *x) { return extend<lanes>(x); }
    template <int lanes> static words<lanes> steps(const source *x) { return load_words<lanes>(x); }
};

#if defined(__AVX512BF16__)

struct unit {
    using number = float;
    static constexpr bool corrected = false;
    using wide = simd<float>::wide;
    static wide dot(wide sum, words<16> a, words<16> b) {
        return (wide)_mm512_dpbf16_ps((__m512)sum, (__m512bh)a, (__m512bh)b);
    }
};

#else

template <class To, class From> inline To bits_of(From value) {
    static_assert(sizeof(To) == sizeof(From));
    To bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

/// The number whose upper half `bits` are; subnormals are zero.
inline double without_subnormals(word bits) {
    const bool subnormal = (bits & 0x7f800000U) == 0;
    return static_cast<double>(bits_of<float>(subnormal ? bits & 0x80000000U : bits));
}

/// sum + a b, rounded as if once. The product of two bf16 numbers is exact in double. Their sum
/// with an f32 number is rounded twice, in double (53 bits) and to f32 (24 bits), which does no
/// harm: it would if the first rounding made a tie of the second. But where the first one drops
/// anything, the smaller term, of at most 24 bits, lies wholly below bit 28 of the sum, and bits 25
/// to 28 are all equal, for the larger term has at most 24.
inline float add_product(float sum, word a, word b) {
    const double total =
        without_subnormals(a) * without_subnormals(b) + without_subnormals(bits_of<word>(sum));
    // Tiny is what would be below the smallest normal number were there no bound on exponents.
    constexpr double tiny = 0x1p-126 - 0x1p-151;
    const bool flushed = total < tiny && total > -tiny;
    const float rounded = static_cast<float>(total);
    return flushed ? bits_of<float>(bits_of<word>(rounded) & 0x80000000U) : rounded;
}

struct unit {
    using number = float;
    static constexpr bool corrected = false;
    using wide = simd<float>::wide;
    static wide dot(wide sum, simd<word>::wide a, simd<word>::wide b) {
        float lanes[simd<float>::length];
        store(lanes, sum);
        for (int l = 0; l < simd<float>::length; ++l) {
            lanes[l] = add_product(lanes[l], a[l] & 0xffff0000U, b[l] & 0xffff0000U);
            lanes[l] = add_product(lanes[l], a[l] << 16, b[l] << 16);
        }
        return load(lanes);
    }
};

#endif

} // namespace

// NR decides how k is cut into blocks and thereby how sums are grouped: it is the same everywhere,
// so that results are.
static_assert(TENFOLD_WORDS_NR == 8);
TENFOLD_MIXED_KERNEL(bf16_dot, TENFOLD_WORDS_MR, TENFOLD_WORDS_NR,
                     words_kernel<unit, pairs, pairs, TENFOLD_WORDS_MR, TENFOLD_WORDS_NR>)
