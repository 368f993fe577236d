// The registers of the instruction set that this source is compiled for, as vector extensions of
// GCC and Clang. Everything has internal linkage.
#pragma once

#include "gemm/kernel_abi.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

// GCC warns of every array whose bound is an int template parameter.
#pragma GCC diagnostic ignored "-Wsign-conversion"

namespace {

using tenfold::gemm_impl::matrix_vector;
using tenfold::gemm_impl::micro_kernel;
using tenfold::gemm_impl::micro_tile;
using tenfold::gemm_impl::panel_source;
using tenfold::gemm_impl::reduced_product;
using tenfold::gemm_impl::skinny_kernels;
using tenfold::gemm_impl::small_product;

#if defined(__AVX512F__)
constexpr int register_bytes = 64;
#elif defined(__AVX2__)
constexpr int register_bytes = 32;
#else
constexpr int register_bytes = 16; // SSE2, NEON, or what the compiler makes of it
#endif

/// `wide` is a register; `unaligned` the same where it may lie at any element's address.
template <class T> struct simd;
template <> struct simd<float> {
    typedef float wide __attribute__((vector_size(register_bytes)));
    typedef float unaligned __attribute__((vector_size(register_bytes), aligned(4), may_alias));
    static constexpr int length = register_bytes / 4;
#if defined(__AVX512F__)
    typedef __mmask16 mask; ///< of lanes
#elif defined(__AVX2__)
    typedef int32_t mask __attribute__((vector_size(register_bytes)));
#endif
};
template <> struct simd<double> {
    typedef double wide __attribute__((vector_size(register_bytes)));
    typedef double unaligned __attribute__((vector_size(register_bytes), aligned(8), may_alias));
    static constexpr int length = register_bytes / 8;
#if defined(__AVX512F__)
    typedef __mmask8 mask;
#elif defined(__AVX2__)
    typedef int64_t mask __attribute__((vector_size(register_bytes)));
#endif
};

template <class T> inline typename simd<T>::wide load(const T *from) {
    return *reinterpret_cast<const typename simd<T>::unaligned *>(from);
}
template <class T> inline void store(T *to, typename simd<T>::wide value) {
    *reinterpret_cast<typename simd<T>::unaligned *>(to) = value;
}

/// Past the cache, where there is such a store; `to` is aligned to the register.
template <class T> inline void stream(T *to, typename simd<T>::wide value) {
#if defined(__AVX512F__)
    _mm512_stream_si512(reinterpret_cast<__m512i *>(to), (__m512i)value);
#elif defined(__AVX2__)
    _mm256_stream_si256(reinterpret_cast<__m256i *>(to), (__m256i)value);
#else
    store(to, value);
#endif
}

// Memory read and written by parts of registers, where the instruction set can: what the mask
// leaves out is not touched, and read as 0.
#if defined(__AVX512F__)
template <class T> inline typename simd<T>::mask first_lanes(int64_t n) {
    return static_cast<typename simd<T>::mask>((1U << n) - 1);
}
inline simd<float>::wide load_part(const float *from, simd<float>::mask some) {
    return (simd<float>::wide)_mm512_maskz_loadu_ps(some, from);
}
inline simd<double>::wide load_part(const double *from, simd<double>::mask some) {
    return (simd<double>::wide)_mm512_maskz_loadu_pd(some, from);
}
inline void store_part(float *to, simd<float>::mask some, simd<float>::wide value) {
    _mm512_mask_storeu_ps(to, some, (__m512)value);
}
inline void store_part(double *to, simd<double>::mask some, simd<double>::wide value) {
    _mm512_mask_storeu_pd(to, some, (__m512d)value);
}
#elif defined(__AVX2__)
template <class T> inline typename simd<T>::mask first_lanes(int64_t n);
template <> inline simd<float>::mask first_lanes<float>(int64_t n) {
    const simd<float>::mask lane = {0, 1, 2, 3, 4, 5, 6, 7};
    return lane < static_cast<int32_t>(n);
}
template <> inline simd<double>::mask first_lanes<double>(int64_t n) {
    const simd<double>::mask lane = {0, 1, 2, 3};
    return lane < n;
}
inline simd<float>::wide load_part(const float *from, simd<float>::mask some) {
    return (simd<float>::wide)_mm256_maskload_ps(from, (__m256i)some);
}
inline simd<double>::wide load_part(const double *from, simd<double>::mask some) {
    return (simd<double>::wide)_mm256_maskload_pd(from, (__m256i)some);
}
inline void store_part(float *to, simd<float>::mask some, simd<float>::wide value) {
    _mm256_maskstore_ps(to, (__m256i)some, (__m256)value);
}
inline void store_part(double *to, simd<double>::mask some, simd<double>::wide value) {
    _mm256_maskstore_pd(to, (__m256i)some, (__m256d)value);
}
#endif

/// A complex factor; arithmetic is spelled out because std::complex is out of bounds here.
template <class T> struct factor {
    T re, im;
    explicit factor(const void *from)
        : re(static_cast<const T *>(from)[0]), im(static_cast<const T *>(from)[1]) {}
    bool zero() const { return re == 0 && im == 0; }
    bool real() const { return im == 0; }
};

} // namespace
