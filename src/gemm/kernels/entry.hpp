// Assembles one kernel source's entry: the micro_kernel of one type, tile and instruction set.
#pragma once

#include "gemm/kernels/interleaved.hpp"
#include "gemm/kernels/level2_complex.hpp"
#include "gemm/kernels/level2_real.hpp"
#include "gemm/kernels/micro_kernel_complex.hpp"
#include "gemm/kernels/micro_kernel_real.hpp"
#include "gemm/kernels/pack.hpp"
#include "gemm/kernels/reduced_real.hpp"
#include "gemm/kernels/series.hpp"
#include "gemm/kernels/skinny_real.hpp"
#include "gemm/kernels/small_complex.hpp"
#include "simd/entry.hpp"

namespace {

template <class T, int MR, int NR> constexpr micro_kernel real_kernel(const char *name) {
    return {name,
            MR,
            NR,
            simd<T>::length,
            multiply_real<T, MR, NR, true>,
            multiply_real<T, MR, NR, false>,
            multiply_small<T, MR, NR>,
            multiply_series<T, MR, NR>,
            multiply_interleaved<T>,
            skinny_kernels_of<T, MR, NR>(),
            multiply_reduced<T, MR, NR>,
            pack_real<T, MR>,
            pack_real<T, NR>,
            gemv_columns_real<T>,
            gemv_rows_real<T>,
            axpby_real<T>,
            fill_columns_real<T>,
            fetching_kernel<T, MR, NR>(),
            delayed_store<T, MR, NR>()};
}

template <class T, int MR, int NR> constexpr micro_kernel complex_kernel(const char *name) {
    return {name,
            MR,
            NR,
            simd<T>::length,
            multiply_complex<T, MR, NR>,
            nullptr,
            multiply_small_complex<T, MR, NR>,
            multiply_series_complex<T, MR, NR>,
            multiply_interleaved_complex<T>,
            {},
            nullptr,
            pack_complex<T, MR>,
            pack_complex<T, NR>,
            gemv_columns_complex<T>,
            gemv_rows_complex<T>,
            axpby_complex<T>,
            nullptr,
            nullptr,
            nullptr};
}

} // namespace

/// Defines the source's entry: the kernel, named for instance f64_gemm_24x8__avx512.
#define TENFOLD_GEMM_KERNEL(kind, type, scalar, mr, nr)                                            \
    TENFOLD_DEFINE_ENTRY(micro_kernel,                                                             \
                         kind##_kernel<scalar, mr, nr>(#type "_gemm_" TENFOLD_TEXT(                \
                             mr) "x" TENFOLD_TEXT(nr) "__" TENFOLD_TEXT(TENFOLD_KERNEL_ISA)))
