// Blocks transposed in registers: W registers of W elements pass through a shuffle network of
// log2(W) steps. The steps below 128 bits are unpacks within lanes, which run on every shuffle port
// with a latency of one cycle; the rest exchange whole lanes.
#include "transpose/kernels/kernel_abi.hpp"
#include "transpose/kernels/registers.hpp"

namespace tenfold::transpose_impl {
namespace {

using reg = registers::reg;

/// Elements of Size bytes per register: the micro-tile is width x width.
template <int Size> constexpr int width = static_cast<int>(registers::bytes / Size);

/// 4 x 4 words in each lane of four registers.
[[gnu::always_inline]] inline void transpose_words(reg *r) {
    const reg low01 = registers::low32(r[0], r[1]);
    const reg high01 = registers::high32(r[0], r[1]);
    const reg low23 = registers::low32(r[2], r[3]);
    const reg high23 = registers::high32(r[2], r[3]);
    r[0] = registers::low64(low01, low23);
    r[1] = registers::high64(low01, low23);
    r[2] = registers::low64(high01, high23);
    r[3] = registers::high64(high01, high23);
}

/// 2 x 2 double words in each lane of two registers.
[[gnu::always_inline]] inline void transpose_double_words(reg *r) {
    const reg low = registers::low64(r[0], r[1]);
    r[1] = registers::high64(r[0], r[1]);
    r[0] = low;
}

template <int Size> [[gnu::always_inline]] inline void transpose_registers(reg *r) {
    constexpr int per_lane = 16 / Size;
#pragma GCC unroll 8
    for (int lane = 0; lane < registers::lanes; ++lane) {
        if constexpr (Size == 4)
            transpose_words(r + lane * per_lane);
        if constexpr (Size == 8)
            transpose_double_words(r + lane * per_lane);
    }
#pragma GCC unroll 8
    for (int c = 0; c < per_lane; ++c)
        registers::transpose_lanes(r + c, per_lane);
}

template <int Size, bool Prefetch, bool Stream> [[gnu::always_inline]] inline void
whole_tile(const char *src, int64_t src_stride, char *dst, int64_t dst_stride, int64_t prefetch) {
    reg r[width<Size>];
#pragma GCC unroll 32
    for (int j = 0; j < width<Size>; ++j) {
        r[j] = registers::load(src + j * src_stride);
        if constexpr (Prefetch)
            __builtin_prefetch(src + j * src_stride + prefetch, 0, 3);
    }
    transpose_registers<Size>(r);
#pragma GCC unroll 32
    for (int i = 0; i < width<Size>; ++i)
        if constexpr (Stream)
            registers::stream(dst + i * dst_stride, r[i]);
        else
            registers::store(dst + i * dst_stride, r[i]);
}

/// The edge: m by n elements, at most width by width, by masked loads and stores.
template <int Size> void part_of_tile(const char *src, int64_t src_stride, char *dst,
                                      int64_t dst_stride, int64_t m, int64_t n) {
    reg r[width<Size>];
    const int64_t words_read = m * Size / 4;
    const int64_t words_written = n * Size / 4;
#pragma GCC unroll 32
    for (int j = 0; j < width<Size>; ++j)
        r[j] = j < n ? registers::load_part(src + j * src_stride, words_read) : reg{};
    transpose_registers<Size>(r);
#pragma GCC unroll 32
    for (int i = 0; i < width<Size>; ++i)
        if (i < m)
            registers::store_part(dst + i * dst_stride, r[i], words_written);
}

/// Columns j in the outer loop: each is read contiguously, and its next lines are in the same page.
template <int Size, bool Stream> void move_tiles(const move_block &block) {
    constexpr int64_t w = width<Size>;
    for (int64_t j = 0; j < block.n; j += w) {
        const char *src = block.src + j * block.src_stride;
        char *dst = block.dst + j * Size;
        const int64_t n = block.n - j < w ? block.n - j : w;
        int64_t i = 0;
        if (n == w && j < block.prefetch_n)
            for (; i + w <= block.m; i += w)
                whole_tile<Size, true, Stream>(src + i * Size, block.src_stride,
                                               dst + i * block.dst_stride, block.dst_stride,
                                               block.prefetch);
        else if (n == w)
            for (; i + w <= block.m; i += w)
                whole_tile<Size, false, Stream>(src + i * Size, block.src_stride,
                                                dst + i * block.dst_stride, block.dst_stride, 0);
        for (; i < block.m; i += w)
            part_of_tile<Size>(src + i * Size, block.src_stride, dst + i * block.dst_stride,
                               block.dst_stride, block.m - i < w ? block.m - i : w, n);
    }
}

template <int Size> void move(const move_block &block) {
    if (block.stream)
        move_tiles<Size, true>(block);
    else
        move_tiles<Size, false>(block);
}

/// 2-byte elements, one by one: right, not fast.
void move_halves(const move_block &block) {
    for (int64_t j = 0; j < block.n; ++j)
        for (int64_t i = 0; i < block.m; ++i)
            __builtin_memcpy(block.dst + i * block.dst_stride + 2 * j,
                             block.src + 2 * i + j * block.src_stride, 2);
}

} // namespace

extern const move_kernels TENFOLD_KERNEL_SYMBOL(moves, TENFOLD_KERNEL_ISA);
const move_kernels TENFOLD_KERNEL_SYMBOL(moves, TENFOLD_KERNEL_ISA) = {
    {move_halves, move<4>, move<8>, move<16>}, static_cast<int>(registers::bytes)};

} // namespace tenfold::transpose_impl
