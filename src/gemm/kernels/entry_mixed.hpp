// Assembles the entry of a kernel source of mixed products.
#pragma once

#include "gemm/kernels/entry.hpp"
#include "gemm/kernels/micro_kernel_words.hpp"
#include "gemm/kernels/pack_words.hpp"

namespace {

using tenfold::gemm_impl::mixed_kernel;

/// Elements become f32 as they are packed; the rest is f32's.
template <class Format> constexpr mixed_kernel widened_kernel(const char *name) {
    return {name,
            TENFOLD_F32_MR,
            TENFOLD_F32_NR,
            simd<word>::length,
            1,
            0,
            nullptr,
            pack_words<Format, TENFOLD_F32_MR>,
            pack_words<Format, TENFOLD_F32_NR>};
}

template <class Unit, class FormatA, class FormatB, int MR, int NR>
constexpr mixed_kernel words_kernel(const char *name) {
    static_assert(FormatA::group == FormatB::group);
    static_assert(FormatA::corrected == FormatB::corrected);
    static_assert(FormatA::corrected == Unit::corrected);
    return {name,
            MR,
            NR,
            simd<word>::length,
            FormatA::group,
            FormatA::corrected ? 1 : 0,
            multiply_words<Unit, FormatA::group, MR, NR>,
            pack_words<FormatA, MR>,
            pack_words<FormatB, NR>};
}

} // namespace

/// Defines the source's entry: a kernel named for instance i8_gemm_48x8__avx512vnni. The arguments
/// after `nr` make the kernel of a name.
#define TENFOLD_MIXED_KERNEL(product, mr, nr, ...)                                                 \
    TENFOLD_DEFINE_ENTRY(mixed_kernel,                                                             \
                         __VA_ARGS__(#product "_gemm_" TENFOLD_TEXT(mr) "x" TENFOLD_TEXT(          \
                             nr) "__" TENFOLD_TEXT(TENFOLD_KERNEL_ISA)))
