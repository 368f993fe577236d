#include "gemm/kernels/mixed_registry.hpp"

#include <array>

#include "gemm/kernels/registry.hpp"

// product, instruction set, kernel source's name for it, what else it needs; better ones first.
#define TENFOLD_FOR_PRODUCTS(apply, isa, variant)                                                  \
    apply(bf16_widened, bf16, isa, variant, nullptr)                                               \
        apply(bf16_dot, bf16_dot, isa, variant, nullptr)                                           \
            apply(f16_widened, f16, isa, variant, nullptr) apply(i8, i8, isa, variant, nullptr)
#if defined(__x86_64__)
#define TENFOLD_FOR_KERNELS(apply)                                                                 \
    apply(bf16_dot, bf16_dot, avx512, avx512bf16, &base::machine::avx512_bf16)                     \
        apply(i8, i8, avx512, avx512vnni, &base::machine::avx512_vnni)                             \
            TENFOLD_FOR_PRODUCTS(apply, avx512, avx512) TENFOLD_FOR_PRODUCTS(apply, avx2, avx2)    \
                TENFOLD_FOR_PRODUCTS(apply, generic, generic)
#elif defined(__aarch64__)
#define TENFOLD_FOR_KERNELS(apply)                                                                 \
    TENFOLD_FOR_PRODUCTS(apply, sve, sve256)                                                       \
    TENFOLD_FOR_PRODUCTS(apply, sve, sve512)                                                       \
    TENFOLD_FOR_PRODUCTS(apply, neon, neon) TENFOLD_FOR_PRODUCTS(apply, generic, generic)
#else
#define TENFOLD_FOR_KERNELS(apply) TENFOLD_FOR_PRODUCTS(apply, generic, generic)
#endif

#define TENFOLD_DECLARE(product, source, isa, variant, feature)                                    \
    extern "C" const tenfold::gemm_impl::mixed_kernel *tenfold_gemm_##source##_##variant();
TENFOLD_FOR_KERNELS(TENFOLD_DECLARE)

namespace tenfold::gemm_impl {
namespace {

constexpr int word_bytes = 4;
constexpr float one_f32 = 1;
constexpr std::uint32_t one_u32 = 1;

mixed_kernel_info describe(mixed_product product, isa instruction_set, bool base::machine::*feature,
                           const mixed_kernel &kernel) {
    micro_kernel loops{};
    loops.name = kernel.name;
    loops.mr = kernel.mr;
    loops.nr = kernel.nr;
    loops.vector_length = kernel.vector_length;
    loops.multiply = kernel.multiply != nullptr
                         ? kernel.multiply
                         : select(data_type::f32, instruction_set)->kernel->multiply;
    loops.pack_a = kernel.pack_a;
    loops.pack_b = kernel.pack_b;
    const bool integers = product == mixed_product::i8;
    const element_format elements{
        integers ? 1 : 2, 4,           4,
        kernel.group,     kernel.tail, integers ? static_cast<const void *>(&one_u32) : &one_f32};
    return {kernel.name, product, instruction_set, feature, loops, elements};
}

/// Beside the instruction set.
bool finds_what_it_needs(const mixed_kernel_info &kernel, const base::machine &machine) noexcept {
    return (kernel.feature == nullptr || machine.*kernel.feature) &&
           base::has_registers_of(kernel.isa, kernel.loops.vector_length * word_bytes);
}

} // namespace

std::span<const mixed_kernel_info> mixed_kernels() noexcept {
#define TENFOLD_LIST(product, source, set, variant, feature)                                       \
    describe(mixed_product::product, isa::set, feature, *tenfold_gemm_##source##_##variant()),
    static const std::array all{TENFOLD_FOR_KERNELS(TENFOLD_LIST)};
    return all;
}

bool runs(const base::machine &machine, const mixed_kernel_info &kernel) noexcept {
    return machine.supports(kernel.isa) && finds_what_it_needs(kernel, machine);
}

const mixed_kernel_info &select(mixed_product product, isa instruction_set,
                                const base::machine &machine) noexcept {
    for (const mixed_kernel_info &one : mixed_kernels())
        if (one.product == product && one.isa == instruction_set &&
            finds_what_it_needs(one, machine))
            return one;
    return mixed_kernels().back(); // not reached: every instruction set has every product
}

} // namespace tenfold::gemm_impl
