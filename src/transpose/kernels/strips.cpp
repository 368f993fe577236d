// Strips of elements of 4 bytes and more.
#include "simd/entry.hpp"
#include "transpose/kernels/strip_mover.hpp"

namespace tenfold::transpose_impl {
namespace {

template <int Size> void copy(const strip &s, const tile_list &list, const operation &op) {
    by_store<element<Size>, Size, no_arithmetic>(s, list, op);
}

} // namespace
} // namespace tenfold::transpose_impl

using namespace tenfold::transpose_impl;
TENFOLD_DEFINE_ENTRY(strip_kernels, {.copy = {copy<4>, copy<8>, copy<16>},
                                     .f32 = scale<float, 4>,
                                     .f64 = scale<double, 8>,
                                     .c32 = scale<float, 8>,
                                     .c64 = scale<double, 16>,
                                     .i32 = scale<uint32_t, 4>,
                                     .f32_f64 = scale<double, 8, single>,
                                     .f64_f32 = scale<double, 8, same, single>,
                                     .c32_c64 = scale<double, 16, single>,
                                     .c64_c32 = scale<double, 16, same, single>,
                                     .carries = registers::funnels,
                                     .bytes = static_cast<int>(registers::bytes)})
