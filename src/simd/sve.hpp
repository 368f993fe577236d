// SVE of a length fixed when compiling (-msve-vector-bits): registers of two or four 128-bit lanes.
//
// SVE's zips work across the whole register, which makes the shuffle network of a square of
// registers one and the same step repeated; its trns stay within pairs of elements, which gives the
// network within lanes. Predicates are masks for every load and store.
#pragma once

#include <arm_sve.h>
#include <stddef.h>
#include <stdint.h>

// Tiles of the micro-kernels, MR x NR (docs/kernel-contract.md); WORDS is that of bf16_dot.
#if __ARM_FEATURE_SVE_BITS == 512
#define TENFOLD_F32_MR 48
#define TENFOLD_F32_NR 8
#define TENFOLD_F64_MR 24
#define TENFOLD_F64_NR 8
#define TENFOLD_C32_MR 48
#define TENFOLD_C32_NR 4
#define TENFOLD_C64_MR 24
#define TENFOLD_C64_NR 4
#define TENFOLD_WORDS_MR 16
#define TENFOLD_WORDS_NR 8
#else
#define TENFOLD_F32_MR 24
#define TENFOLD_F32_NR 8
#define TENFOLD_F64_MR 12
#define TENFOLD_F64_NR 8
#define TENFOLD_C32_MR 24
#define TENFOLD_C32_NR 4
#define TENFOLD_C64_MR 12
#define TENFOLD_C64_NR 4
#define TENFOLD_WORDS_MR 8
#define TENFOLD_WORDS_NR 8
#endif

namespace {

constexpr int register_bytes = __ARM_FEATURE_SVE_BITS / 8;
constexpr int register_count = 32;

template <int> struct lane_mask { typedef int64_t type; };

} // namespace

#include "simd/vectors.hpp"

namespace {

/// SVE's own types of the length that is compiled for: casts to and from simd<T>::wide cost
/// nothing.
typedef svfloat32_t sve_f32 __attribute__((arm_sve_vector_bits(__ARM_FEATURE_SVE_BITS)));
typedef svfloat64_t sve_f64 __attribute__((arm_sve_vector_bits(__ARM_FEATURE_SVE_BITS)));

/// What the compiler must take for rounded, rather than contract a product into a later FMA.
template <class W> inline W rounded(W value) {
    __asm__("" : "+w"(value));
    return value;
}

/// SVE loads an element into all lanes, but from an address in one register: given two, compilers
/// load it into one lane, and the units that multiply copy it into the others.
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

/// Past the cache; `to` is aligned to the register.
template <class T> inline void stream(T *to, typename simd<T>::wide value) {
    svstnt1_f64(svptrue_b64(), reinterpret_cast<double *>(to), (sve_f64)value);
}
/// After the last of them.
inline void end_streams() {}

// Masks are numbers of lanes: a predicate is made of one in one instruction, whereas a function
// that is given predicates has to preserve half of the vector registers.
constexpr bool parts_cost_more = false;

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

struct registers {
    typedef svint64_t reg __attribute__((arm_sve_vector_bits(__ARM_FEATURE_SVE_BITS)));
    static constexpr int64_t bytes = __ARM_FEATURE_SVE_BITS / 8;
    static constexpr int lanes = bytes / 16;
    static constexpr bool funnels = bytes == 64;
    static constexpr bool picks = false;
    static constexpr bool own_networks = true;
    static constexpr bool joins_lines = false;

    /// Half a register's bytes in memory: in a register each word is the lower part of a double
    /// word, which is where conversions between the two want it.
    struct half {
        reg apart;
    };

    /// As many 2-byte elements as a register has words: each is the lower part of a word.
    struct shorts {
        reg apart;
    };
    static constexpr bool converts_f16 = true;

    static reg load(const void *p) { return svld1_s64(all(), static_cast<const int64_t *>(p)); }
    static half load_half(const void *p) {
        return {svld1sw_s64(all(), static_cast<const int32_t *>(p))};
    }
    static void store(void *p, reg v) { svst1_s64(all(), static_cast<int64_t *>(p), v); }
    static void store(void *p, half v) { svst1w_s64(all(), static_cast<int32_t *>(p), v.apart); }
    static void stream(void *p, reg v) { svstnt1_s64(all(), static_cast<int64_t *>(p), v); }
    /// There is no store that both narrows and goes past the cache.
    static void stream(void *p, half v) { store(p, v); }

    /// The 4-byte words first <= k < last of the register at p, none beyond them touched; the
    /// others are v's.
    static reg load_words(reg v, const void *p, int64_t first, int64_t last) {
        const svbool_t wanted = words(first, last);
        return of_words(svsel_s32(wanted, svld1_s32(wanted, static_cast<const int32_t *>(p)),
                                  svreinterpret_s32_s64(v)));
    }
    static half load_words(half v, const void *p, int64_t first, int64_t last) {
        const svbool_t wanted = double_words(first, last);
        return {svsel_s64(wanted, svld1sw_s64(wanted, static_cast<const int32_t *>(p)), v.apart)};
    }
    static void store_words(void *p, reg v, int64_t first, int64_t last) {
        svst1_s32(words(first, last), static_cast<int32_t *>(p), svreinterpret_s32_s64(v));
    }
    static void store_words(void *p, half v, int64_t first, int64_t last) {
        svst1w_s64(double_words(first, last), static_cast<int32_t *>(p), v.apart);
    }

    static shorts load_shorts(const void *p) {
        return {of_words(svld1uh_s32(svptrue_b32(), static_cast<const uint16_t *>(p)))};
    }
    static void store(void *p, shorts v) {
        svst1h_s32(svptrue_b32(), static_cast<int16_t *>(p), svreinterpret_s32_s64(v.apart));
    }
    static void stream(void *p, shorts v) { store(p, v); }
    /// The same with 2-byte elements, of `shorts` or of a whole register.
    static shorts load_shorts(shorts v, const void *p, int64_t first, int64_t last) {
        const svbool_t wanted = words(first, last);
        return {of_words(svsel_s32(wanted, svld1uh_s32(wanted, static_cast<const uint16_t *>(p)),
                                   svreinterpret_s32_s64(v.apart)))};
    }
    static reg load_shorts(reg v, const void *p, int64_t first, int64_t last) {
        const svbool_t wanted = half_words(first, last);
        return svreinterpret_s64_s16(svsel_s16(
            wanted, svld1_s16(wanted, static_cast<const int16_t *>(p)), svreinterpret_s16_s64(v)));
    }
    static void store_shorts(void *p, shorts v, int64_t first, int64_t last) {
        svst1h_s32(words(first, last), static_cast<int16_t *>(p), svreinterpret_s32_s64(v.apart));
    }
    static void store_shorts(void *p, reg v, int64_t first, int64_t last) {
        svst1_s16(half_words(first, last), static_cast<int16_t *>(p), svreinterpret_s16_s64(v));
    }
    /// The same with bytes.
    static reg load_bytes(reg v, const void *p, int64_t first, int64_t last) {
        const svbool_t wanted = single_bytes(first, last);
        return svreinterpret_s64_s8(svsel_s8(
            wanted, svld1_s8(wanted, static_cast<const int8_t *>(p)), svreinterpret_s8_s64(v)));
    }
    static void store_bytes(void *p, reg v, int64_t first, int64_t last) {
        svst1_s8(single_bytes(first, last), static_cast<int8_t *>(p), svreinterpret_s8_s64(v));
    }

    /// Lanes from as many places, of each the first `count` 4-byte words; the others are zero.
    static reg from_lanes(const char *const *p, int step, int64_t offset, int64_t count) {
        const svbool_t some = words(0, count);
        // Each is read into all lanes; those before the k-th stay.
        svint32_t v = svld1rq_s32(some, words_at(p[0] + offset));
#pragma GCC unroll 4
        for (int k = 1; k < lanes; ++k)
            v = svsel_s32(words(0, 4 * k), v, svld1rq_s32(some, words_at(p[k * step] + offset)));
        return of_words(v);
    }
    /// Whole lanes.
    static reg from_lanes(const char *const *p, int step, int64_t offset) {
        return from_lanes(p, step, offset, 4);
    }
    /// Halves from two places, likewise.
    static reg from_halves(const char *low, const char *high, int64_t count) {
        constexpr int64_t middle = bytes / 8;
        return load_words(load_words(reg{}, low, 0, count), high - 4 * middle, middle,
                          middle + count);
    }
    /// The first `count` words of each lane, to places step apart in `at`.
    static void store_lanes(char *p, const int64_t *at, int step, reg v, int64_t count) {
#pragma GCC unroll 4
        for (int k = 0; k < lanes; ++k)
            store_words(p + at[k * step] - 16 * k, v, 4 * k, 4 * k + count);
    }
    /// Lanes 0 and 2 of a, then of b; lanes 1 and 3. Of registers of four lanes.
    static reg even_lanes(reg a, reg b) { return lanes_from(a, b, 0); }
    static reg odd_lanes(reg a, reg b) { return lanes_from(a, b, 1); }

    static reg widen(half v) {
        return svreinterpret_s64_f64(svcvt_f64_f32_x(all(), svreinterpret_f32_s64(v.apart)));
    }
    static half narrow(reg v) {
        return {svreinterpret_s64_f32(svcvt_f32_f64_x(all(), svreinterpret_f64_s64(v)))};
    }

    /// Each element in a word, above it zeros; the lower half of each word.
    static reg words_of(shorts v) { return v.apart; }
    static shorts shorts_of(reg words) { return {words}; }
    static reg widen_f16(shorts v) {
        return svreinterpret_s64_f32(
            svcvt_f32_f16_x(svptrue_b32(), svreinterpret_f16_s64(v.apart)));
    }
    static shorts narrow_f16(reg v) {
        return {svreinterpret_s64_f16(svcvt_f16_f32_x(svptrue_b32(), svreinterpret_f32_s64(v)))};
    }

    /// Within each lane of 16 / Size registers.
    template <int Size> static void transpose_in_lanes(reg *r) {
        if constexpr (Size == 1) {
            exchange_blocks<8>(r);
            exchange_blocks<4>(r);
            exchange_blocks<2>(r);
            exchange_blocks<1>(r);
        }
        if constexpr (Size == 4) {
            const reg even01 = even32(r[0], r[1]);
            const reg odd01 = odd32(r[0], r[1]);
            const reg even23 = even32(r[2], r[3]);
            const reg odd23 = odd32(r[2], r[3]);
            r[0] = svtrn1_s64(even01, even23);
            r[1] = svtrn1_s64(odd01, odd23);
            r[2] = svtrn2_s64(even01, even23);
            r[3] = svtrn2_s64(odd01, odd23);
        }
        if constexpr (Size == 8) {
            const reg even = svtrn1_s64(r[0], r[1]);
            r[1] = svtrn2_s64(r[0], r[1]);
            r[0] = even;
        }
    }

    /// The square of as many registers as each has elements. Zipping registers i and i + W/2 into
    /// 2i and 2i + 1 rotates the bits of (register, element) by one place: after log2(W) steps the
    /// two have changed places. Elements of 16 bytes are zipped by halves, which then lie apart.
    template <int Size> static void transpose(reg *r) {
        constexpr int width = static_cast<int>(bytes) / Size;
#pragma GCC unroll 4
        for (int step = 1; step < width; step *= 2)
            zip_registers<Size, width>(r);
        if constexpr (Size == 16) {
            const svuint64_t together = svld1_u64(all(), halves_together);
#pragma GCC unroll 4
            for (int k = 0; k < width; ++k)
                r[k] = svtbl_s64(r[k], together);
        }
    }

    /// Neighbours exchanged: (1, 0, 3, 2, ...).
    static reg swap32(reg v) { return svrevw_s64_x(all(), v); }
    static reg swap64(reg v) { return svtrn1_s64(svtrn2_s64(v, v), v); }

    /// The last `count` words of `before`, then the first ones of `after`.
    static reg funnel(reg before, reg after, int64_t count) {
        const svbool_t last = svnot_b_z(svptrue_b32(), words(0, bytes / 4 - count));
        return of_words(
            svsplice_s32(last, svreinterpret_s32_s64(before), svreinterpret_s32_s64(after)));
    }

private:
    static svbool_t all() { return svptrue_b64(); }
    static svbool_t words(int64_t first, int64_t last) {
        const svbool_t before_last = svwhilelt_b32_s64(0, last);
        if (__builtin_constant_p(first == 0) && first == 0)
            return before_last;
        return svbic_b_z(svptrue_b32(), before_last, svwhilelt_b32_s64(0, first));
    }
    static svbool_t double_words(int64_t first, int64_t last) {
        const svbool_t before_last = svwhilelt_b64_s64(0, last);
        if (__builtin_constant_p(first == 0) && first == 0)
            return before_last;
        return svbic_b_z(svptrue_b64(), before_last, svwhilelt_b64_s64(0, first));
    }
    static svbool_t half_words(int64_t first, int64_t last) {
        return svbic_b_z(svptrue_b16(), svwhilelt_b16_s64(0, last), svwhilelt_b16_s64(0, first));
    }
    static svbool_t single_bytes(int64_t first, int64_t last) {
        return svbic_b_z(svptrue_b8(), svwhilelt_b8_s64(0, last), svwhilelt_b8_s64(0, first));
    }
    static const int32_t *words_at(const char *p) { return reinterpret_cast<const int32_t *>(p); }
    static reg of_words(svint32_t v) { return svreinterpret_s64_s32(v); }

    /// (a0, b0, a2, b2, ...) and (a1, b1, a3, b3, ...).
    static reg even32(reg a, reg b) {
        return of_words(svtrn1_s32(svreinterpret_s32_s64(a), svreinterpret_s32_s64(b)));
    }
    static reg odd32(reg a, reg b) {
        return of_words(svtrn2_s32(svreinterpret_s32_s64(a), svreinterpret_s32_s64(b)));
    }

    /// Of 16 registers of bytes: exchanges the squares of N x N bytes beside the diagonal of each
    /// square of 2 N x 2 N.
    template <int N> static void exchange_blocks(reg *r) {
#pragma GCC unroll 16
        for (int i = 0; i < 16; ++i) {
            if (i & N)
                continue;
            const reg a = r[i];
            const reg b = r[i + N];
            if constexpr (N == 8) {
                r[i] = svtrn1_s64(a, b);
                r[i + N] = svtrn2_s64(a, b);
            } else if constexpr (N == 4) {
                r[i] = even32(a, b);
                r[i + N] = odd32(a, b);
            } else if constexpr (N == 2) {
                r[i] = svreinterpret_s64_s16(
                    svtrn1_s16(svreinterpret_s16_s64(a), svreinterpret_s16_s64(b)));
                r[i + N] = svreinterpret_s64_s16(
                    svtrn2_s16(svreinterpret_s16_s64(a), svreinterpret_s16_s64(b)));
            } else {
                r[i] = svreinterpret_s64_s8(
                    svtrn1_s8(svreinterpret_s8_s64(a), svreinterpret_s8_s64(b)));
                r[i + N] = svreinterpret_s64_s8(
                    svtrn2_s8(svreinterpret_s8_s64(a), svreinterpret_s8_s64(b)));
            }
        }
    }

    template <int Size, int Width> static void zip_registers(reg *r) {
        reg zipped[static_cast<size_t>(Width)];
#pragma GCC unroll 8
        for (int i = 0; i < Width / 2; ++i) {
            const reg a = r[i];
            const reg b = r[i + Width / 2];
            if constexpr (Size == 4) {
                zipped[2 * i] =
                    of_words(svzip1_s32(svreinterpret_s32_s64(a), svreinterpret_s32_s64(b)));
                zipped[2 * i + 1] =
                    of_words(svzip2_s32(svreinterpret_s32_s64(a), svreinterpret_s32_s64(b)));
            } else {
                zipped[2 * i] = svzip1_s64(a, b);
                zipped[2 * i + 1] = svzip2_s64(a, b);
            }
        }
#pragma GCC unroll 16
        for (int i = 0; i < Width; ++i)
            r[i] = zipped[i];
    }

    static reg lanes_from(reg a, reg b, int odd) {
        alignas(64) static constexpr uint64_t places[2][8] = {{0, 1, 4, 5, 0, 1, 4, 5},
                                                              {2, 3, 6, 7, 2, 3, 6, 7}};
        const svuint64_t at = svld1_u64(all(), places[odd]);
        return svsel_s64(double_words(0, bytes / 16), svtbl_s64(a, at), svtbl_s64(b, at));
    }

    alignas(64) static constexpr uint64_t halves_together[] = {
#if __ARM_FEATURE_SVE_BITS == 256
        0, 2, 1, 3
#else
        0, 4, 1, 5, 2,
        6, 3, 7
#endif
    };
};

} // namespace
