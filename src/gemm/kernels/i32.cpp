// Products of 32-bit integers, exact modulo 2^32.
#include "gemm/kernels/entry_mixed.hpp"

namespace {

/// Elements that are words already.
struct whole_words {
    using source = word;
    static constexpr int group = 1;
    static constexpr bool corrected = false;

    static word part(source value) { return value; }
    static word whole(const source *x) { return part(*x); }
    template <int lanes> static words<lanes> parts(const source *x) { return load_words<lanes>(x); }
    template <int lanes> static words<lanes> steps(const source *x) { return parts<lanes>(x); }
};

struct word_products {
    using number = word;
    static constexpr bool corrected = false;
    using wide = simd<word>::wide;
    static wide dot(wide sum, wide a, wide b) { return sum + a * b; }
};

} // namespace

TENFOLD_MIXED_KERNEL(
    i32, TENFOLD_WORDS_MR, TENFOLD_WORDS_NR,
    words_kernel<word_products, whole_words, whole_words, TENFOLD_WORDS_MR, TENFOLD_WORDS_NR>)
