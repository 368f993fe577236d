// What transposition kernels are given and what they promise.
//
// Kernels come in two kinds. A *move* transposes a block of elements of a given size and does no
// arithmetic, so that one shuffle network serves f32, f64, c32, c64 alike. A *row* kernel reads and
// writes contiguous rows and does all the arithmetic: scaling, conjugation, accumulation, streaming
// past the cache. A transposition is a move into a buffer that stays in the L1 cache, then rows
// from there; plain copies in cache skip the buffer.
//
// Plain types only: this header is read by sources that are compiled for one instruction set.
#pragma once

#include <stdint.h>

namespace tenfold::transpose_impl {

/// Element (i, j), i < m, j < n, is read at src + i * size + j * src_stride and written at
/// dst + i * dst_stride + j * size. Strides in bytes, any sign. Nothing else is touched.
struct move_block {
    const char *src;
    int64_t src_stride;
    char *dst;
    int64_t dst_stride;
    int64_t m;
    int64_t n;
    int64_t prefetch;   ///< bytes from here to the block that is read next
    int64_t prefetch_n; ///< its first columns that are prefetched meanwhile; 0: none
    bool stream;        ///< write past the cache; dst and dst_stride are whole lines, and so is a
                        ///< register (move_kernels::tile_bytes)
};
using move_kernel = void (*)(const move_block &);

/// What a row kernel does to component k (real numbers; a complex element has components 2k and
/// 2k+1):
///     y[k] = x_straight[k % 2] x[k] + x_crossed[k % 2] x[k ^ 1]
///          + y_straight[k % 2] y[k] + y_crossed[k % 2] y[k ^ 1]
/// "Crossed" terms exist for complex factors with an imaginary part. A term that is absent is not
/// read: 0 * NaN never shows.
struct row_operation {
    enum class term : int { absent, straight, crossed };

    term x;
    term y;
    bool copies; ///< y = x, bit by bit
    bool stream; ///< write whole cache lines past the cache; only where term y is absent
    double x_straight[2];
    double x_crossed[2];
    double y_straight[2];
    double y_crossed[2];
};

/// `rows` rows of `n` components each (bytes, for the copy kernel). Strides in bytes, any sign.
struct row_block {
    const char *x;
    int64_t x_stride;
    char *y;
    int64_t y_stride;
    int64_t rows;
    int64_t n;
};
using row_kernel = void (*)(const row_block &, const row_operation &);

/// The moves of one instruction set; elements of 2, 4, 8 and 16 bytes.
struct move_kernels {
    move_kernel by_size[4];
    int tile_bytes; ///< of one row of a micro-tile: the register's width
};

/// The row kernels of one instruction set.
struct row_kernels {
    row_kernel copy;
    row_kernel f32; ///< also c32
    row_kernel f64; ///< also c64
};

#define TENFOLD_KERNEL_SYMBOL_(name, isa) name##_##isa
#define TENFOLD_KERNEL_SYMBOL(name, isa) TENFOLD_KERNEL_SYMBOL_(name, isa)

} // namespace tenfold::transpose_impl
