// What transposition kernels are given and what they promise.
//
// B is written in *runs*: stretches that are contiguous in B. A *strip* is a piece of a run that is
// a few cache lines long, together with all the places of a *panel* where such a piece is written:
// its tiles. For each tile a kernel reads one register of A per column of the strip, transposes the
// block in registers and writes a piece of each of the tile's rows. Where A's and B's stride-1
// modes are one, a strip is made of pieces that are contiguous in A as well, and is copied.
//
// Plain types only: this header is read by sources that are compiled for one instruction set.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace tenfold::transpose_impl {

/// One place of a panel, in bytes from the panel's origin in A and in B.
struct tile {
    int64_t src;
    int64_t dst;
    int64_t rows;          ///< of B that start here; 1 for copies
    const int64_t *row_at; ///< where each of them begins, in bytes from dst
};

/// A panel's tiles.
struct tile_list {
    const tile *tiles;
    int64_t count;
    int64_t src_step; ///< bytes between the elements of a column in A; kernels that work in
                      ///< registers take it as the size of an element
};

/// Where a strip's edges lie in its run.
struct strip_edges {
    bool first;  ///< nothing of the run comes before
    bool last;   ///< nothing of the run follows
    bool primes; ///< fills `carry` only: what comes before is written by somebody else
};

/// Columns of A that become consecutive elements of each row of B.
struct strip {
    const char *const *columns; ///< of A at the panel's origin: an address for each column
    const char *const *next;    ///< as many columns that are read next, for prefetching
    int64_t n;                  ///< columns
    char *dst;                  ///< where the strip's first element lies in B at the panel's origin
    int64_t dst_step;           ///< bytes between columns in B; see tile_list::src_step
    int64_t ahead;              ///< tiles to prefetch ahead; 0: no prefetching
    int64_t skew;               ///< tiles further ahead for each next column of a register's
    char *carry;                ///< 64 bytes for each tile's every row, see store_kind::carried
    strip_edges edges;
    bool joined;   ///< each row's columns follow those of the row before it: whole
                   ///< registers may take several
    bool buffered; ///< what is written lies in a buffer: `next` is fetched, tile by tile
    bool far;      ///< prefetches into the L2 cache, not the L1 cache
    bool dense;    ///< a column is as long as a tile, and begins where the one before it ends
};

/// How rows of B are written.
enum class store_kind : int {
    plain,    ///< through the cache
    streamed, ///< past it: columns of whole lines lie on cache lines in all rows; others are plain
    carried   ///< past it, at any alignment: what begins a line waits in `carry` for the strip that
              ///< ends it. Strips of a run come in order, all but the last of whole registers.
};

/// What a kernel does to component k (real numbers; a complex element has components 2k and 2k+1):
///     y[k] = x_straight[k % 2] x[k] + x_crossed[k % 2] x[k ^ 1]
///          + y_straight[k % 2] y[k] + y_crossed[k % 2] y[k ^ 1]
/// "Crossed" terms exist for complex factors with an imaginary part. A term that is absent is not
/// read: 0 * NaN never shows.
struct operation {
    enum class term : int { absent, straight, crossed };

    term x;
    term y;
    bool copies; ///< y = x, bit by bit
    store_kind store;
    double x_straight[2];
    double x_crossed[2];
    double y_straight[2];
    double y_crossed[2];
};

/// Element (r, j) of tile t is read at columns[j] + t.src + r * size_a and written at
/// dst + t.dst + t.row_at[r] + j * size_b. Nothing else is touched.
using strip_kernel = void (*)(const strip &, const tile_list &, const operation &);

/// A piece of a run that is contiguous in A too.
struct piece {
    const char *src; ///< at the panel's origin
    int64_t size;    ///< bytes of A
};

/// Consecutive pieces of a run, at each of a panel's tiles.
struct copy_strip {
    const piece *pieces; ///< begin with what `lead` bytes of B before dst are made from
    int64_t count;
    const piece *next; ///< pieces of the strip that is copied next, for prefetching; may be null
    int64_t next_count;
    int64_t lead; ///< 0 at the run's beginning, else a cache line
    int64_t size; ///< bytes of B from dst on
    char *dst;
    int64_t ahead; ///< tiles to prefetch ahead; 0: no prefetching
    strip_edges edges;
    bool in_order; ///< A is, from tile to tile: only B is prefetched
    bool far;      ///< prefetches into the L2 cache, not the L1 cache
};

/// Element k of the strip's pieces, at tile t, goes to dst + t.dst + k * size_b. Streamed strips
/// are cut anew at the cache lines of each tile's row: a strip leaves the last part of a line to
/// the strip that follows, and writes what the one before it left.
using copy_kernel = void (*)(const copy_strip &, const tile_list &, const operation &);

/// y = beta y, or zeros: `n` bytes of B.
using scale_kernel = void (*)(char *y, int64_t n, const operation &);

/// Types that differ in size are computed in the wider one and converted where they are read or
/// written.
struct strip_kernels {
    strip_kernel copy[3]; ///< 4, 8, 16 bytes
    strip_kernel f32, f64, c32, c64, i32;
    strip_kernel f32_f64, f64_f32, c32_c64, c64_c32;
    bool carries; ///< store_kind::carried is there, where B's elements are those of registers
    int bytes;    ///< of a register
};
/// Elements of 2 bytes are words in registers, and computed in f32. Those of f16 may be null.
struct short_strip_kernels {
    strip_kernel copy;
    strip_kernel bf16, bf16_f32, f32_bf16;
    strip_kernel f16, f16_f32, f32_f16;
};
/// Integers of one byte, with sign or without: modulo 2^8 it is the same. Tiles have at most 16
/// rows.
struct byte_strip_kernels {
    strip_kernel copy;
    strip_kernel compute; ///< through the cache where it is not `streamed`
    bool carries;         ///< store_kind::carried is there
};
/// Conversions from one type of A that are made row by row, in stages through the L1 cache, where
/// there is no kernel in registers. Null: there is one, or no instruction for f16.
struct staged_kernels {
    copy_kernel to_bf16 = nullptr, to_f16 = nullptr, to_f64 = nullptr;
    copy_kernel to_c32 = nullptr, to_c64 = nullptr;
};
struct copy_kernels {
    copy_kernel copy;          ///< elements of 4 bytes or multiples
    copy_kernel copy_short;    ///< of 2 bytes
    copy_kernel copy_byte;     ///< of one byte
    copy_kernel f32, f64, i32; ///< also c32, c64
    copy_kernel byte;          ///< integers of one byte
    copy_kernel f32_f64, f64_f32;
    copy_kernel bf16, bf16_f32, f32_bf16;
    copy_kernel f16, f16_f32, f32_f16; ///< may be null
    staged_kernels from_f32, from_f64, from_bf16, from_f16;
    scale_kernel scale_f32, scale_f64, scale_i32, scale_byte, scale_bf16;
    scale_kernel scale_f16; ///< may be null
};

} // namespace tenfold::transpose_impl
