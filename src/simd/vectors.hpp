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
/// Copies n bytes, by pieces that do not depend on one another.
[[gnu::always_inline]] inline void copy_bytes(char *to, const char *from, int64_t n) {
    for (; n >= 16; n -= 16, to += 16, from += 16)
        __builtin_memcpy(to, from, 16);
    if (n & 8) {
        __builtin_memcpy(to, from, 8);
        to += 8;
        from += 8;
    }
    if (n & 4) {
        __builtin_memcpy(to, from, 4);
        to += 4;
        from += 4;
    }
    if (n & 2) {
        __builtin_memcpy(to, from, 2);
        to += 2;
        from += 2;
    }
    if (n & 1)
        *to = *from;
}

/// For instruction sets without masks of bytes: bytes first <= k < last of the register at p; the
/// others are v's.
template <class V> inline V load_bytes_unmasked(V v, const void *p, int64_t first, int64_t last) {
    char elements[sizeof v];
    __builtin_memcpy(elements, &v, sizeof v);
    copy_bytes(elements + first, static_cast<const char *>(p) + first, last - first);
    __builtin_memcpy(&v, elements, sizeof v);
    return v;
}
template <class V> inline void store_bytes_unmasked(void *p, V v, int64_t first, int64_t last) {
    char elements[sizeof v];
    __builtin_memcpy(elements, &v, sizeof v);
    copy_bytes(static_cast<char *>(p) + first, elements + first, last - first);
}

template <class V> inline void store_shorts_singly(void *p, V v, int64_t first, int64_t last) {
    int16_t elements[sizeof v / 2];
    __builtin_memcpy(elements, &v, sizeof v);
    for (int64_t k = first; k < last; ++k)
        __builtin_memcpy(static_cast<char *>(p) + 2 * k, elements + k, 2);
}

} // namespace
