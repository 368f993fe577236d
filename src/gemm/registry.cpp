#include "gemm/registry.hpp"

#include <array>

// One entry per kernel source and instruction set (cmake/TenfoldKernel.cmake builds the same list).
#define TENFOLD_FOR_TYPES(apply, isa)                                                              \
    apply(f32, isa) apply(f64, isa) apply(c32, isa) apply(c64, isa)
#if defined(__x86_64__)
#define TENFOLD_FOR_KERNELS(apply)                                                                 \
    TENFOLD_FOR_TYPES(apply, avx512)                                                               \
    TENFOLD_FOR_TYPES(apply, avx2) TENFOLD_FOR_TYPES(apply, generic)
#elif defined(__aarch64__)
#define TENFOLD_FOR_KERNELS(apply) TENFOLD_FOR_TYPES(apply, neon) TENFOLD_FOR_TYPES(apply, generic)
#else
#define TENFOLD_FOR_KERNELS(apply) TENFOLD_FOR_TYPES(apply, generic)
#endif

#define TENFOLD_DECLARE(type, isa)                                                                 \
    extern "C" const tenfold::gemm_impl::micro_kernel *tenfold_gemm_##type##_##isa();
TENFOLD_FOR_KERNELS(TENFOLD_DECLARE)

namespace tenfold::gemm_impl {
namespace {

kernel_info describe(data_type type, isa instruction_set, const micro_kernel *kernel) {
    return {kernel->name, type, instruction_set, kernel->mr, kernel->nr, kernel};
}

} // namespace

std::span<const kernel_info> kernels() noexcept {
#define TENFOLD_LIST(type, set) describe(data_type::type, isa::set, tenfold_gemm_##type##_##set()),
    static const std::array all{TENFOLD_FOR_KERNELS(TENFOLD_LIST)};
    return all;
}

const kernel_info *select(data_type type, isa instruction_set) noexcept {
    for (const isa wanted : {instruction_set, isa::neon, isa::generic}) {
        // NEON is a substitute for SVE only.
        if (wanted == isa::neon && instruction_set != isa::sve && instruction_set != isa::neon)
            continue;
        for (const kernel_info &one : kernels())
            if (one.type == type && one.isa == wanted)
                return &one;
    }
    return nullptr;
}

} // namespace tenfold::gemm_impl
