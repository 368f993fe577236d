// Memory read and written by parts of registers: the first lanes of the last register of a column.
// What a mask leaves out is not touched; what is read for it is of no use to anybody.
//
// AVX-512 and AVX2 have masks. SVE has predicates, but here its masks are numbers of lanes: a
// predicate is made of one in one instruction, whereas a function that is given predicates has to
// preserve half of the vector registers. Elsewhere the elements of a part move one by one, and the
// k loop has a branch that always goes the same way.
#pragma once

#include "gemm/kernels/simd.hpp"

namespace {

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
#elif defined(__ARM_FEATURE_SVE)
template <class T> inline typename simd<T>::mask first_lanes(int64_t n) { return n; }
inline simd<float>::wide load_part(const float *from, int64_t lanes) {
    return (simd<float>::wide)(sve_f32)svld1_f32(svwhilelt_b32_s64(0, lanes), from);
}
inline simd<double>::wide load_part(const double *from, int64_t lanes) {
    return (simd<double>::wide)(sve_f64)svld1_f64(svwhilelt_b64_s64(0, lanes), from);
}
inline void store_part(float *to, int64_t lanes, simd<float>::wide value) {
    svst1_f32(svwhilelt_b32_s64(0, lanes), to, (sve_f32)value);
}
inline void store_part(double *to, int64_t lanes, simd<double>::wide value) {
    svst1_f64(svwhilelt_b64_s64(0, lanes), to, (sve_f64)value);
}
#else
template <class T> inline typename simd<T>::mask first_lanes(int64_t n) { return n; }
template <class T> inline typename simd<T>::wide load_part(const T *from, int64_t lanes) {
    if (lanes == simd<T>::length) [[likely]]
        return load(from);
    typename simd<T>::wide value = {from[0]};
#pragma GCC unroll 4
    for (int l = 1; l + 1 < simd<T>::length; ++l)
        if (l < lanes)
            value[l] = from[l];
    return value;
}
template <class T> inline void store_part(T *to, int64_t lanes, typename simd<T>::wide value) {
    if (lanes == simd<T>::length) [[likely]]
        return store(to, value);
    to[0] = value[0];
#pragma GCC unroll 4
    for (int l = 1; l + 1 < simd<T>::length; ++l)
        if (l < lanes)
            to[l] = value[l];
}
#endif

} // namespace
