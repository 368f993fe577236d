// Strips of elements of 2 bytes, each in a word of a register: as they are, or as f32.
#include "simd/entry.hpp"
#include "transpose/kernels/strip_mover.hpp"

namespace tenfold::transpose_impl {
namespace {

void copy(const strip &s, const tile_list &list, const operation &op) {
    by_store<element<4, bits16, bits16>, 4, no_arithmetic>(s, list, op);
}

/// Null where there is no instruction for f16.
template <template <int> class A, template <int> class B> constexpr strip_kernel with_f16() {
    if constexpr (registers::converts_f16)
        return scale<float, 4, A, B>;
    else
        return nullptr;
}

} // namespace
} // namespace tenfold::transpose_impl

using namespace tenfold::transpose_impl;
TENFOLD_DEFINE_ENTRY(short_strip_kernels, {.copy = copy,
                                           .bf16 = scale<float, 4, bf16, bf16>,
                                           .bf16_f32 = scale<float, 4, bf16>,
                                           .f32_bf16 = scale<float, 4, same, bf16>,
                                           .f16 = with_f16<f16, f16>(),
                                           .f16_f32 = with_f16<f16, same>(),
                                           .f32_f16 = with_f16<same, f16>()})
