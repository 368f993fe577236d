// Which way bf16 is multiplied: a table of what was measured.
#include <array>
#include <string_view>

#include "gemm/kernels/mixed_registry.hpp"

namespace tenfold::gemm_impl {
namespace {

struct measured {
    std::string_view vendor;
    int family;
    mixed_product faster;
};

/// One thread, 1024 and 2048 cubed, GFLOP/s widened and by dot products. Processors that are not
/// listed widen: dot products have no subnormals, which has to be worth something.
constexpr std::array<measured, 1> table{{
    {"AuthenticAMD", 0x1a, mixed_product::bf16_dot}, // Zen 5: 243 and 484
}};

} // namespace

mixed_product faster_bf16(isa instruction_set, const base::machine &machine) noexcept {
    if (instruction_set == isa::avx512 && machine.avx512_bf16)
        for (const measured &one : table)
            if (machine.vendor == one.vendor && machine.family == one.family)
                return one.faster;
    return mixed_product::bf16_widened;
}

} // namespace tenfold::gemm_impl
