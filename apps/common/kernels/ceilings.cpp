// Kernels for the best that the machine can do: multiply-adds that stay in registers, and streams
// through memory. Compiled once per instruction set.
#include "apps/common/kernels/ceiling_kernels.hpp"
#include "simd/entry.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace tenfold::apps_impl {
namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

// Latency times throughput of today's cores is 8 to 10 independent multiply-adds; more of them hide
// stalls. 32 registers hold 24 accumulators and the two factors; 16 registers hold 12.
#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int accumulators = 24;
#else
constexpr int accumulators = 12;
#endif

// Unrolled so far that the loop's own instructions do not count.
constexpr int unroll = 8;

template <class T> struct vector_of { typedef T type __attribute__((vector_size(vector_bytes))); };

template <class T> T fma_rounds(int64_t rounds) {
    using vector = typename vector_of<T>::type;
    constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));
    vector sum[accumulators];
    vector factor, term;
    for (int lane = 0; lane < lanes; ++lane) {
        factor[lane] = T(0.5);
        term[lane] = T(0.25); // x -> x / 2 + 1 / 4 tends to 1 / 2: no overflow, no subnormals
    }
    for (int i = 0; i < accumulators; ++i)
        for (int lane = 0; lane < lanes; ++lane)
            sum[i][lane] = T(i) / T(accumulators);

    for (int64_t round = 0; round < rounds; ++round)
#pragma GCC unroll 8
        for (int repeat = 0; repeat < unroll; ++repeat)
#pragma GCC unroll 24
            for (int i = 0; i < accumulators; ++i)
                sum[i] = sum[i] * factor + term;

    vector total = sum[0];
    for (int i = 1; i < accumulators; ++i)
        total += sum[i];
    T result = 0;
    for (int lane = 0; lane < lanes; ++lane)
        result += total[lane];
    return result;
}

template <class T>
constexpr int64_t flops_per_round = int64_t{2} *
                                    (vector_bytes / int64_t{sizeof(T)}) * accumulators *unroll;

/// Writes one cache line past the caches: the core does not read the line first.
inline void store_line(char *to, const char *from) {
#if defined(__AVX512F__)
    _mm512_stream_si512(reinterpret_cast<__m512i *>(to),
                        _mm512_load_si512(reinterpret_cast<const __m512i *>(from)));
#elif defined(__AVX2__)
    for (int i = 0; i < 64; i += 32)
        _mm256_stream_si256(reinterpret_cast<__m256i *>(to + i),
                            _mm256_load_si256(reinterpret_cast<const __m256i *>(from + i)));
#elif defined(__SSE2__)
    for (int i = 0; i < 64; i += 16)
        _mm_stream_si128(reinterpret_cast<__m128i *>(to + i),
                         _mm_load_si128(reinterpret_cast<const __m128i *>(from + i)));
#else
    __builtin_memcpy(to, from, 64);
#endif
}

void copy(void *to, const void *from, int64_t size) {
    char *target = static_cast<char *>(to);
    const char *source = static_cast<const char *>(from);
    int64_t i = 0;
    for (; i + 64 <= size; i += 64)
        store_line(target + i, source + i);
    for (; i < size; ++i)
        target[i] = source[i];
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

template <class T> void saxpy(T a, const T *x, T *y, int64_t n) {
    using vector = typename vector_of<T>::type;
    typedef vector unaligned __attribute__((aligned(alignof(T)), may_alias));
    constexpr int64_t lanes = vector_bytes / int64_t{sizeof(T)};
    const vector factor = vector{} + a;
    int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        auto *target = reinterpret_cast<unaligned *>(y + i);
        *target += factor * *reinterpret_cast<const unaligned *>(x + i);
    }
    for (; i < n; ++i)
        y[i] += a * x[i];
}

int64_t read(const void *from, int64_t size) {
    typedef int64_t vector __attribute__((vector_size(vector_bytes), may_alias));
    constexpr int64_t streams = 8; // independent, so that only memory limits the speed
    const vector *source = static_cast<const vector *>(from);
    const int64_t vectors = size / vector_bytes;
    vector seen[streams] = {};
    for (int64_t i = 0; i + streams <= vectors; i += streams)
#pragma GCC unroll 8
        for (int64_t stream = 0; stream < streams; ++stream)
            seen[stream] ^= source[i + stream];
    for (int64_t stream = 1; stream < streams; ++stream)
        seen[0] ^= seen[stream];
    return seen[0][0];
}

} // namespace

} // namespace tenfold::apps_impl

using namespace tenfold::apps_impl;
TENFOLD_DEFINE_ENTRY(ceiling_kernels, {
                                          .fma_f32 = fma_rounds<float>,
                                          .fma_f64 = fma_rounds<double>,
                                          .flops_per_round_f32 = flops_per_round<float>,
                                          .flops_per_round_f64 = flops_per_round<double>,
                                          .copy = copy,
                                          .saxpy_f32 = saxpy<float>,
                                          .saxpy_f64 = saxpy<double>,
                                          .read = read,
                                      })
