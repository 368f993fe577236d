// The peak of AVX-512's dot products of short vectors. Like the multiply-adds of ceilings.cpp, they
// never leave the registers.
#include <immintrin.h>

#include "contract/calibrate/kernels/ceiling_kernels.hpp"
#include "simd/entry.hpp"

namespace tenfold::calibrate_impl {
namespace {

constexpr int accumulators = 24;
constexpr int unroll = 8;

#if defined(__AVX512BF16__)
using sums = __m512;
constexpr int products = 32;

sums add(sums sum, __m512i a, __m512i b) { return _mm512_dpbf16_ps(sum, (__m512bh)a, (__m512bh)b); }
#else
using sums = __m512i;
constexpr int products = 64;

sums add(sums sum, __m512i a, __m512i b) { return _mm512_dpbusd_epi32(sum, a, b); }
#endif

float rounds(int64_t count) {
    // Volatile, so that the compiler cannot compute the products or see that the sums are equal.
    volatile int value = 1;
    const __m512i a = _mm512_set1_epi32(value);
    const __m512i b = _mm512_set1_epi32(value);
    // Unrolled, so that the sums stay in registers.
    sums sum[accumulators];
#pragma GCC unroll 24
    for (int i = 0; i < accumulators; ++i)
        sum[i] = (sums)_mm512_set1_epi32(value);
    for (int64_t round = 0; round < count; ++round)
#pragma GCC unroll 8
        for (int repeat = 0; repeat < unroll; ++repeat)
#pragma GCC unroll 24
            for (int i = 0; i < accumulators; ++i)
                sum[i] = add(sum[i], a, b);
    float total = 0;
#pragma GCC unroll 24
    for (int i = 0; i < accumulators; ++i)
        total += static_cast<float>(sum[i][0]);
    return total;
}

} // namespace
} // namespace tenfold::calibrate_impl

using namespace tenfold::calibrate_impl;
TENFOLD_DEFINE_ENTRY(dot_ceiling, {rounds, int64_t{2} * products *accumulators *unroll})
