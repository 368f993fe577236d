// Registers of elements, as vector extensions of GCC and Clang. Included by the header of each
// instruction set, once it has said how long registers are.
#pragma once

#include <stdint.h>

namespace {

/// `wide` is a register; `unaligned` the same where it may lie at any element's address; `mask`
/// says which lanes of it are meant.
template <class T> struct simd;
template <> struct simd<float> {
    typedef float wide __attribute__((vector_size(register_bytes)));
    typedef float unaligned __attribute__((vector_size(register_bytes), aligned(4), may_alias));
    typedef lane_mask<4>::type mask;
    static constexpr int length = register_bytes / 4;
};
template <> struct simd<double> {
    typedef double wide __attribute__((vector_size(register_bytes)));
    typedef double unaligned __attribute__((vector_size(register_bytes), aligned(8), may_alias));
    typedef lane_mask<8>::type mask;
    static constexpr int length = register_bytes / 8;
};

template <class T> inline typename simd<T>::wide load(const T *from) {
    return *reinterpret_cast<const typename simd<T>::unaligned *>(from);
}
template <class T> inline void store(T *to, typename simd<T>::wide value) {
    *reinterpret_cast<typename simd<T>::unaligned *>(to) = value;
}

/// For instruction sets without masks of 2-byte elements: elements first <= k < last of those at p,
/// which are the ends of rows; the others are v's.
template <class V> inline V load_shorts_singly(V v, const void *p, int64_t first, int64_t last) {
    int16_t elements[sizeof v / 2];
    __builtin_memcpy(elements, &v, sizeof v);
    for (int64_t k = first; k < last; ++k)
        __builtin_memcpy(elements + k, static_cast<const char *>(p) + 2 * k, 2);
    __builtin_memcpy(&v, elements, sizeof v);
    return v;
}
template <class V> inline void store_shorts_singly(void *p, V v, int64_t first, int64_t last) {
    int16_t elements[sizeof v / 2];
    __builtin_memcpy(elements, &v, sizeof v);
    for (int64_t k = first; k < last; ++k)
        __builtin_memcpy(static_cast<char *>(p) + 2 * k, elements + k, 2);
}

} // namespace
