// Products of 8-bit integers, exact modulo 2^32: what a word is, and how words are multiplied.
// Three ways:
//
//   VNNI      four products of an unsigned and a signed byte per lane.
//   madd      two products of 16-bit integers per lane, whose sum is at most 2 x 255 x 128.
//   portable  one product of 32-bit integers per lane.
#pragma once

#include <stdint.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "gemm/kernels/entry_mixed.hpp"

namespace {

#if defined(__AVX2__)

/// Adjacent bytes as words, with their sign or with zeros. GCC 12 makes scalar instructions of the
/// vector extensions' conversion.
template <int lanes, bool is_signed> inline words<lanes> extend_bytes(const void *from) {
    if constexpr (lanes == 4) {
        const auto bytes = _mm_cvtsi32_si128(static_cast<int>(load_word(from)));
        return (words<4>)(is_signed ? _mm_cvtepi8_epi32(bytes) : _mm_cvtepu8_epi32(bytes));
    } else if constexpr (lanes == 8) {
        int64_t bits;
        __builtin_memcpy(&bits, from, sizeof bits);
        const auto bytes = _mm_cvtsi64_si128(bits);
        return (words<8>)(is_signed ? _mm256_cvtepi8_epi32(bytes) : _mm256_cvtepu8_epi32(bytes));
    } else {
#if defined(__AVX512F__)
        const auto bytes = (__m128i)load_words<4>(from);
        // Not without a mask, whose undefined operand GCC 12 warns of.
        return (words<16>)(is_signed ? _mm512_maskz_cvtepi8_epi32(0xffff, bytes)
                                     : _mm512_maskz_cvtepu8_epi32(0xffff, bytes));
#endif
    }
}

#endif

#if defined(__AVX512VNNI__)

/// Four bytes. Of signed ones on both sides, A's are made unsigned by adding 128, which flips their
/// upper bits. What that adds to a sum, 128 times the sum of B's column, is taken off at its start:
/// packing leaves it past B's last step.
template <class Source, word flipped = 0, bool Corrected = false> struct bytes_in_words {
    using source = Source;
    static constexpr int group = 4;
    static constexpr bool corrected = Corrected;

    static word part(source value) { return static_cast<uint8_t>(value) ^ flipped; }
    static word whole(const source *x) { return load_word(x) ^ (flipped * 0x01010101U); }
    template <int lanes> static words<lanes> parts(const source *x) {
        return extend_bytes<lanes, false>(x) ^ flipped;
    }
    template <int lanes> static words<lanes> steps(const source *x) {
        return load_words<lanes>(x) ^ (flipped * 0x01010101U);
    }
    /// -128 times the sums of B's columns; nothing for A.
    template <int R> static void finish(const word *panel, int64_t steps, word *to) {
        if constexpr (flipped == 0) {
            // By no more than the smallest stores that have just been made: longer loads would
            // wait for all of these.
            static_assert(R % 4 == 0);
            const __m128i ones = _mm_set1_epi8(1);
            for (int r = 0; r < R; r += 4) {
                __m128i sum = _mm_setzero_si128();
                for (int64_t p = 0; p < steps; ++p)
                    sum = _mm_dpbusd_epi32(sum, ones, (__m128i)load_words<4>(panel + p * R + r));
                block_ops<word, 4>::store(to + r, (words<4>)sum * -128U);
            }
        }
    }
};

/// Which side's bytes are unsigned.
enum class unsigned_side { a, b };
template <unsigned_side Side, bool Corrected = false> struct byte_products {
    using number = word;
    static constexpr bool corrected = Corrected;
    static words<16> dot(words<16> sum, words<16> a, words<16> b) {
        const auto first = (__m512i)(Side == unsigned_side::a ? a : b);
        const auto second = (__m512i)(Side == unsigned_side::a ? b : a);
        return (words<16>)_mm512_dpbusd_epi32((__m512i)sum, first, second);
    }
};

using signed_format_a = bytes_in_words<int8_t, 0x80, true>;
using signed_format_b = bytes_in_words<int8_t, 0, true>;
using signed_unit = byte_products<unsigned_side::a, true>;
template <class Source> using format = bytes_in_words<Source>;
using unit_u8_i8 = byte_products<unsigned_side::a>;
using unit_i8_u8 = byte_products<unsigned_side::b>;

#elif defined(__AVX2__)

template <class Source> struct format {
    using source = Source;
    static constexpr int group = 2;
    static constexpr bool corrected = false;

    static word part(source value) { return static_cast<uint16_t>(value); }
    static word whole(const source *x) { return part(x[0]) | part(x[1]) << 16; }
    template <int lanes> static words<lanes> parts(const source *x) {
        return extend_bytes<lanes, is_signed>(x) & 0xffffU;
    }
    template <int lanes> static words<lanes> steps(const source *x) {
        if constexpr (lanes == 16) {
#if defined(__AVX512F__)
            const auto bytes = (__m256i)load_words<8>(x);
            return (words<16>)(is_signed ? _mm512_cvtepi8_epi16(bytes)
                                         : _mm512_cvtepu8_epi16(bytes));
#endif
        } else if constexpr (lanes == 8) {
            const auto bytes = (__m128i)load_words<4>(x);
            return (words<8>)(is_signed ? _mm256_cvtepi8_epi16(bytes)
                                        : _mm256_cvtepu8_epi16(bytes));
        } else {
            int64_t bits;
            __builtin_memcpy(&bits, x, sizeof bits);
            const __m128i bytes = _mm_cvtsi64_si128(bits);
            return (words<4>)(is_signed ? _mm_cvtepi8_epi16(bytes) : _mm_cvtepu8_epi16(bytes));
        }
    }

private:
    static constexpr bool is_signed = Source(-1) < 0;
};

struct signed_unit {
    using number = word;
    static constexpr bool corrected = false;
    using wide = simd<word>::wide;
    static wide dot(wide sum, wide a, wide b) {
#if defined(__AVX512F__)
        return sum + (wide)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#else
        return sum + (wide)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#endif
    }
};

#else

template <class Source> struct format {
    using source = Source;
    static constexpr int group = 1;
    static constexpr bool corrected = false;

    static word part(source value) { return static_cast<word>(int32_t{value}); }
    static word whole(const source *x) { return part(*x); }
    template <int lanes> static words<lanes> parts(const source *x) { return extend<lanes>(x); }
    template <int lanes> static words<lanes> steps(const source *x) { return parts<lanes>(x); }
};

struct signed_unit {
    using number = word;
    static constexpr bool corrected = false;
    using wide = simd<word>::wide;
    static wide dot(wide sum, wide a, wide b) { return sum + a * b; }
};

#endif

#if !defined(__AVX512VNNI__) // signed and unsigned bytes become wider numbers alike
using signed_format_a = format<int8_t>;
using signed_format_b = format<int8_t>;
using unit_u8_i8 = signed_unit;
using unit_i8_u8 = signed_unit;
#endif

} // namespace
