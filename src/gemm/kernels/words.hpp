// Words of 4 bytes, which the micro-panels of mixed products are made of.
#pragma once

#include "simd/shuffle.hpp"

namespace {

using word = uint32_t;

template <> struct simd<word> {
    typedef word wide __attribute__((vector_size(register_bytes)));
    typedef word unaligned __attribute__((vector_size(register_bytes), aligned(4), may_alias));
    static constexpr int length = register_bytes / 4;
};

#define TENFOLD_WORDS(lanes)                                                                       \
    template <> struct simd_of<word, lanes> {                                                      \
        typedef word wide __attribute__((vector_size(lanes * 4)));                                 \
        typedef word unaligned __attribute__((vector_size(lanes * 4), aligned(4), may_alias));     \
    };
TENFOLD_WORDS(4)
TENFOLD_WORDS(8)
TENFOLD_WORDS(16)
#undef TENFOLD_WORDS

template <int lanes> using words = typename simd_of<word, lanes>::wide;

/// `lanes` elements of a narrow integer type as they lie in memory.
template <class Source, int lanes> struct narrow_vector {
    typedef Source wide __attribute__((vector_size(lanes * sizeof(Source))));

    static wide load(const Source *from) {
        wide value;
        __builtin_memcpy(&value, from, sizeof value);
        return value;
    }
};

/// They as words, with their sign or with zeros.
template <int lanes, class Source> inline words<lanes> extend(const Source *from) {
    typedef int32_t extended __attribute__((vector_size(lanes * 4)));
    const auto value = narrow_vector<Source, lanes>::load(from);
    return reinterpret_cast<words<lanes>>(__builtin_convertvector(value, extended));
}

/// A word from anywhere.
inline word load_word(const void *from) {
    word value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
}
/// `lanes` words from anywhere.
template <int lanes> inline words<lanes> load_words(const void *from) {
    words<lanes> value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
}

} // namespace
