// What all GEMM kernels are made of, on the registers of the instruction set that a source is
// compiled for. Everything has internal linkage.
#pragma once

#include "gemm/kernels/kernel_abi.hpp"
#include "simd/registers.hpp"

// GCC warns of every array whose bound is an int template parameter.
#pragma GCC diagnostic ignored "-Wsign-conversion"

namespace {

using tenfold::gemm_impl::adjoining_columns;
using tenfold::gemm_impl::delayed_tile;
using tenfold::gemm_impl::has_higher_tiles;
using tenfold::gemm_impl::higher_tile_columns;
using tenfold::gemm_impl::higher_tile_registers;
using tenfold::gemm_impl::interleaved_products;
using tenfold::gemm_impl::line_runs;
using tenfold::gemm_impl::lines_ahead;
using tenfold::gemm_impl::matrix_vector;
using tenfold::gemm_impl::micro_kernel;
using tenfold::gemm_impl::micro_tile;
using tenfold::gemm_impl::panel_source;
using tenfold::gemm_impl::reduced_product;
using tenfold::gemm_impl::skinny_kernels;
using tenfold::gemm_impl::skinny_product;
using tenfold::gemm_impl::small_product;
using tenfold::gemm_impl::small_series;
using tenfold::gemm_impl::sweep;

/// Brings the next line to L2. Always inline: GCC takes a function that only prefetches for one
/// without effect.
[[gnu::always_inline]] inline void prefetch_next(line_runs &runs) {
    __builtin_prefetch(runs.next, 0, 2);
    runs.move_on();
}

[[gnu::always_inline]] inline void prefetch(const lines_ahead &lines) {
    for (int64_t i = 0; i < lines.count; ++i)
        prefetch_next(*lines.of);
}

/// alpha x + beta y, rounded alike wherever it stands: which of the two products goes into an FMA
/// would depend on what the compiler makes of the code around it, and with it bits of results on
/// the tile that an element is computed in.
template <class W, class T> inline W axpby(T alpha, W x, T beta, W y) {
    return rounded(alpha * x) + beta * y;
}

/// A complex factor; arithmetic is spelled out because std::complex is out of bounds here.
template <class T> struct factor {
    T re, im;
    explicit factor(const void *from)
        : re(static_cast<const T *>(from)[0]), im(static_cast<const T *>(from)[1]) {}
    bool zero() const { return re == 0 && im == 0; }
    bool real() const { return im == 0; }
};

} // namespace
