// Blocks transposed by plain loops: any processor, any compiler.
#include "transpose/kernels/kernel_abi.hpp"

namespace tenfold::transpose_impl {
namespace {

/// Written in strips of 8 rows: as many lines of dst as the smallest L1 cache keeps in one set.
template <int Size> void move(const move_block &block) {
    constexpr int64_t strip = 8;
    for (int64_t first = 0; first < block.m; first += strip) {
        const int64_t last = first + strip < block.m ? first + strip : block.m;
        for (int64_t j = 0; j < block.n; ++j)
            for (int64_t i = first; i < last; ++i)
                __builtin_memcpy(block.dst + i * block.dst_stride + j * Size,
                                 block.src + i * Size + j * block.src_stride, Size);
    }
}

} // namespace

extern const move_kernels moves_generic;
const move_kernels moves_generic = {{move<2>, move<4>, move<8>, move<16>}, 16};

} // namespace tenfold::transpose_impl
