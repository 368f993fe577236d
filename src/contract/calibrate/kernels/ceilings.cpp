// Kernels for the best that the machine can do: multiply-adds that stay in registers, and streams
// through memory. Compiled once per instruction set.
#include "contract/calibrate/kernels/ceiling_kernels.hpp"
#include "simd/entry.hpp"
#include "simd/registers.hpp"

namespace tenfold::calibrate_impl {
namespace {

// Latency x throughput of today's cores is 8 to 10 independent multiply-adds; more hide stalls.
// 32 registers hold 24 and the two factors; 16 registers hold 12.
constexpr int accumulators = register_count == 32 ? 24 : 12;

// Unrolled so far that the loop's own instructions do not count.
constexpr int unroll = 8;

template <class T> struct vector_of {
    typedef T type __attribute__((vector_size(register_bytes)));
};

template <class T> T fma_rounds(int64_t rounds) {
    using vector = typename vector_of<T>::type;
    constexpr int lanes = register_bytes / static_cast<int>(sizeof(T));
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
                                    (register_bytes / int64_t{sizeof(T)}) * accumulators *unroll;

/// Writes one cache line past the caches: the core does not read the line first.
inline void store_line(char *to, const char *from) {
    for (int i = 0; i < 64; i += register_bytes)
        registers::stream(to + i, *reinterpret_cast<const registers::reg *>(from + i));
}

void copy(void *to, const void *from, int64_t size) {
    char *target = static_cast<char *>(to);
    const char *source = static_cast<const char *>(from);
    int64_t i = 0;
    for (; i + 64 <= size; i += 64)
        store_line(target + i, source + i);
    for (; i < size; ++i)
        target[i] = source[i];
    end_streams();
}

template <class T> void saxpy(T a, const T *x, T *y, int64_t n) {
    using vector = typename vector_of<T>::type;
    typedef vector unaligned __attribute__((aligned(alignof(T)), may_alias));
    constexpr int64_t lanes = register_bytes / int64_t{sizeof(T)};
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
    typedef int64_t vector __attribute__((vector_size(register_bytes), may_alias));
    constexpr int64_t streams = 8; // independent, so that only memory is waited for
    const vector *source = static_cast<const vector *>(from);
    const int64_t vectors = size / register_bytes;
    vector seen[streams] = {};
    for (int64_t i = 0; i + streams <= vectors; i += streams)
#pragma GCC unroll 8
        for (int64_t stream = 0; stream < streams; ++stream)
            seen[stream] ^= source[i + stream];
    for (int64_t stream = 1; stream < streams; ++stream)
        seen[0] ^= seen[stream];
    return seen[0][0];
}

void write(void *to, int64_t size) {
    char *target = static_cast<char *>(to);
    int64_t i = 0;
    for (; i + 64 <= size; i += 64)
        for (int64_t part = 0; part < 64; part += register_bytes)
            registers::stream(target + i + part, registers::reg{});
    for (; i < size; ++i)
        target[i] = 0;
    end_streams();
}

} // namespace

} // namespace tenfold::calibrate_impl

using namespace tenfold::calibrate_impl;
TENFOLD_DEFINE_ENTRY(ceiling_kernels, {
                                          .fma_f32 = fma_rounds<float>,
                                          .fma_f64 = fma_rounds<double>,
                                          .flops_per_round_f32 = flops_per_round<float>,
                                          .flops_per_round_f64 = flops_per_round<double>,
                                          .copy = copy,
                                          .saxpy_f32 = saxpy<float>,
                                          .saxpy_f64 = saxpy<double>,
                                          .read = read,
                                          .write = write,
                                      })
