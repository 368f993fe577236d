// The registers of the instruction set that this source is compiled for, as vector extensions of
// GCC and Clang. Everything has internal linkage.
#pragma once

#include "gemm/kernels/kernel_abi.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__ARM_FEATURE_SVE)
#include <arm_sve.h>
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
using tenfold::gemm_impl::skinny_product;
using tenfold::gemm_impl::small_product;

#if defined(__AVX512F__)
constexpr int register_bytes = 64;
#elif defined(__AVX2__)
constexpr int register_bytes = 32;
#elif defined(__ARM_FEATURE_SVE)
constexpr int register_bytes = __ARM_FEATURE_SVE_BITS / 8; // -msve-vector-bits
#else
constexpr int register_bytes = 16; // SSE2, NEON, or what the compiler makes of it
#endif

#if defined(__ARM_FEATURE_SVE)
/// SVE's own types of the length that is compiled for: casts to and from `wide` cost nothing.
typedef svfloat32_t sve_f32 __attribute__((arm_sve_vector_bits(__ARM_FEATURE_SVE_BITS)));
typedef svfloat64_t sve_f64 __attribute__((arm_sve_vector_bits(__ARM_FEATURE_SVE_BITS)));
#endif

/// `wide` is a register; `unaligned` the same where it may lie at any element's address.
template <class T> struct simd;
template <> struct simd<float> {
    typedef float wide __attribute__((vector_size(register_bytes)));
    typedef float unaligned __attribute__((vector_size(register_bytes), aligned(4), may_alias));
    static constexpr int length = register_bytes / 4;
#if defined(__AVX512F__)
    typedef __mmask16 mask; ///< of lanes: parts.hpp
#else
    typedef int64_t mask;
#endif
};
template <> struct simd<double> {
    typedef double wide __attribute__((vector_size(register_bytes)));
    typedef double unaligned __attribute__((vector_size(register_bytes), aligned(8), may_alias));
    static constexpr int length = register_bytes / 8;
#if defined(__AVX512F__)
    typedef __mmask8 mask;
#else
    typedef int64_t mask;
#endif
};

template <class T> inline typename simd<T>::wide load(const T *from) {
    return *reinterpret_cast<const typename simd<T>::unaligned *>(from);
}
template <class T> inline void store(T *to, typename simd<T>::wide value) {
    *reinterpret_cast<typename simd<T>::unaligned *>(to) = value;
}

/// What the compiler must take for rounded, rather than contract a product into a later FMA.
template <class W> inline W rounded(W value) {
#if defined(__AVX512F__)
    __asm__("" : "+v"(value));
#elif defined(__x86_64__)
    __asm__("" : "+x"(value));
#elif defined(__aarch64__)
    __asm__("" : "+w"(value));
#else
    __asm__("" : "+m"(value));
#endif
    return value;
}

/// alpha x + beta y, rounded alike wherever it stands: which of the two products goes into an FMA
/// would depend on what the compiler makes of the code around it, and with it bits of results on
/// the tile that an element is computed in.
template <class W, class T> inline W axpby(T alpha, W x, T beta, W y) {
    return rounded(alpha * x) + beta * y;
}

/// Where elements are that whole registers are multiplied by; `near` ones are constants apart. SVE
/// loads an element into all lanes, but from an address in one register: given two, compilers load
/// it into one lane, and the units that multiply copy it into the others.
#if defined(__ARM_FEATURE_SVE)
template <class T, bool near = false> struct factors {
    const T *first;
    factors(const T *from) : first(from) {}
    void operator+=(int64_t elements) { first += elements; }
    T operator[](int64_t i) const {
        const T *at = first + i;
        if constexpr (!near)
            __asm__("" : "+r"(at));
        return *at;
    }
};
#else
template <class T, bool near = false> using factors = const T *;
#endif

/// Past the cache, where there is such a store; `to` is aligned to the register.
template <class T> inline void stream(T *to, typename simd<T>::wide value) {
#if defined(__AVX512F__)
    _mm512_stream_si512(reinterpret_cast<__m512i *>(to), (__m512i)value);
#elif defined(__AVX2__)
    _mm256_stream_si256(reinterpret_cast<__m256i *>(to), (__m256i)value);
#elif defined(__ARM_FEATURE_SVE)
    svstnt1_f64(svptrue_b64(), reinterpret_cast<double *>(to), (sve_f64)value);
#else
    store(to, value);
#endif
}

/// A complex factor; arithmetic is spelled out because std::complex is out of bounds here.
template <class T> struct factor {
    T re, im;
    explicit factor(const void *from)
        : re(static_cast<const T *>(from)[0]), im(static_cast<const T *>(from)[1]) {}
    bool zero() const { return re == 0 && im == 0; }
    bool real() const { return im == 0; }
};

} // namespace
