// The registers of the instruction set that this source is compiled for, as vector extensions of
// GCC and Clang. Everything has internal linkage.
#pragma once

#include "gemm/kernel_abi.hpp"

// GCC warns of every array whose bound is an int template parameter.
#pragma GCC diagnostic ignored "-Wsign-conversion"

namespace {

using tenfold::gemm_impl::matrix_vector;
using tenfold::gemm_impl::micro_kernel;
using tenfold::gemm_impl::micro_tile;
using tenfold::gemm_impl::panel_source;

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
};
template <> struct simd<double> {
    typedef double wide __attribute__((vector_size(register_bytes)));
    typedef double unaligned __attribute__((vector_size(register_bytes), aligned(8), may_alias));
    static constexpr int length = register_bytes / 8;
};

template <class T> inline typename simd<T>::wide load(const T *from) {
    return *reinterpret_cast<const typename simd<T>::unaligned *>(from);
}
template <class T> inline void store(T *to, typename simd<T>::wide value) {
    *reinterpret_cast<typename simd<T>::unaligned *>(to) = value;
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
