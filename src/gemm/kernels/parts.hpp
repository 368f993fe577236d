// Memory read and written by parts of registers: the first lanes of the last register of a column.
// What a mask leaves out is not touched; what is read for it is of no use to anybody.
//
// AVX-512 has masks. SVE has predicates, but here its masks are numbers of lanes: a predicate is
// made of one in one instruction, whereas a function that is given predicates has to preserve half
// of the vector registers. AVX2's are numbers too: a function that is given a register leaves it to
// its caller to clear upper halves (vzeroupper), and SSE code that finds them in use takes 100 ns
// more on Zen 3. It loads by masks, but stores by halves, since AMD's processors do masked stores
// in microcode. Elsewhere the elements of a part move one by one, and the k loop has a branch that
// always goes the same way.
#pragma once

#include "gemm/kernels/simd.hpp"

namespace {

#if defined(__AVX512F__) || defined(__ARM_FEATURE_SVE)
constexpr bool parts_cost_more = false; ///< than whole registers
#else
constexpr bool parts_cost_more = true;
#endif

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
template <class T> inline typename simd<T>::mask first_lanes(int64_t n) { return n; }
/// The first n lanes.
inline __m256i mask_of(const float *, int64_t n) {
    static constexpr int32_t lanes[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
    return _mm256_loadu_si256(reinterpret_cast<const __m256i_u *>(lanes + 8 - n));
}
inline __m256i mask_of(const double *, int64_t n) {
    static constexpr int64_t lanes[8] = {-1, -1, -1, -1};
    return _mm256_loadu_si256(reinterpret_cast<const __m256i_u *>(lanes + 4 - n));
}
inline simd<float>::wide load_part(const float *from, int64_t lanes) {
    return (simd<float>::wide)_mm256_maskload_ps(from, mask_of(from, lanes));
}
inline simd<double>::wide load_part(const double *from, int64_t lanes) {
    return (simd<double>::wide)_mm256_maskload_pd(from, mask_of(from, lanes));
}
inline void store_part(float *to, int64_t lanes, simd<float>::wide value) {
    if (lanes == simd<float>::length) [[likely]]
        return store(to, value);
    __m128 part = _mm256_castps256_ps128((__m256)value);
    if (lanes & 4) {
        _mm_storeu_ps(to, part);
        part = _mm256_extractf128_ps((__m256)value, 1);
        to += 4;
    }
    if (lanes & 2) {
        _mm_storel_pi(reinterpret_cast<__m64 *>(to), part);
        part = _mm_movehl_ps(part, part);
        to += 2;
    }
    if (lanes & 1)
        _mm_store_ss(to, part);
}
inline void store_part(double *to, int64_t lanes, simd<double>::wide value) {
    if (lanes == simd<double>::length) [[likely]]
        return store(to, value);
    __m128d part = _mm256_castpd256_pd128((__m256d)value);
    if (lanes & 2) {
        _mm_storeu_pd(to, part);
        part = _mm256_extractf128_pd((__m256d)value, 1);
        to += 2;
    }
    if (lanes & 1)
        _mm_store_sd(to, part);
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
