#include "gemm/kernels/mixed_registry.hpp"

#include "gemm/kernels/registry.hpp"
#include "simd/kernel_table.hpp"

TENFOLD_DECLARE_KERNELS(gemm_bf16, tenfold::gemm_impl::mixed_kernel)
TENFOLD_DECLARE_KERNELS(gemm_bf16_dot, tenfold::gemm_impl::mixed_kernel)
TENFOLD_DECLARE_KERNELS(gemm_f16, tenfold::gemm_impl::mixed_kernel)
TENFOLD_DECLARE_KERNELS(gemm_i8, tenfold::gemm_impl::mixed_kernel)
TENFOLD_DECLARE_KERNELS(gemm_u8_i8, tenfold::gemm_impl::mixed_kernel)
TENFOLD_DECLARE_KERNELS(gemm_i8_u8, tenfold::gemm_impl::mixed_kernel)
TENFOLD_DECLARE_KERNELS(gemm_i32, tenfold::gemm_impl::mixed_kernel)

namespace tenfold::gemm_impl {
namespace {

constexpr float one_f32 = 1;
constexpr std::uint32_t one_u32 = 1;

/// What widened words are multiplied by.
const micro_kernel &micro_kernel_of_f32(const simd::variant &variant) {
    for (const kernel_info &one : kernels())
        if (one.type == data_type::f32 && one.variant.name == variant.name)
            return *one.kernel;
    return *kernels().back().kernel; // not reached: both are compiled for the same variants
}

mixed_kernel_info describe(mixed_product product, const simd::variant &variant,
                           const mixed_kernel &kernel) {
    micro_kernel loops{};
    loops.name = kernel.name;
    loops.mr = kernel.mr;
    loops.nr = kernel.nr;
    loops.vector_length = kernel.vector_length;
    loops.multiply =
        kernel.multiply != nullptr ? kernel.multiply : micro_kernel_of_f32(variant).multiply;
    loops.pack_a = kernel.pack_a;
    loops.pack_b = kernel.pack_b;
    const bool integers = is_of_integers(product);
    const element_format elements{
        product == mixed_product::i32 ? 4 : integers ? 1 : 2,     4, 4, kernel.group, kernel.tail,
        integers ? static_cast<const void *>(&one_u32) : &one_f32};
    return {kernel.name, product, variant, loops, elements};
}

struct product_table {
    mixed_product product;
    simd::kernel_table<mixed_kernel> kernels;
};

constexpr std::size_t products = 7;
using mixed_kernel_list = simd::bounded_list<mixed_kernel_info, simd::most_variants * products>;

mixed_kernel_list describe_all_mixed() {
    const product_table tables[products] = {
        {mixed_product::bf16_widened, TENFOLD_KERNEL_TABLE(gemm_bf16)},
        {mixed_product::bf16_dot, TENFOLD_KERNEL_TABLE(gemm_bf16_dot)},
        {mixed_product::f16_widened, TENFOLD_KERNEL_TABLE(gemm_f16)},
        {mixed_product::i8, TENFOLD_KERNEL_TABLE(gemm_i8)},
        {mixed_product::u8_i8, TENFOLD_KERNEL_TABLE(gemm_u8_i8)},
        {mixed_product::i8_u8, TENFOLD_KERNEL_TABLE(gemm_i8_u8)},
        {mixed_product::i32, TENFOLD_KERNEL_TABLE(gemm_i32)}};
    mixed_kernel_list all;
    for (const simd::variant &variant : simd::variants())
        for (const product_table &table : tables)
            if (const mixed_kernel *kernel = table.kernels.compiled_for(variant))
                all.push_back(describe(table.product, variant, *kernel));
    return all;
}

} // namespace

std::span<const mixed_kernel_info> mixed_kernels() noexcept {
    static const mixed_kernel_list all = describe_all_mixed();
    return {all.data(), all.size()};
}

bool runs(const base::machine &machine, const mixed_kernel_info &kernel) noexcept {
    return simd::runs(machine, kernel.variant);
}

const mixed_kernel_info &select(mixed_product product, isa instruction_set,
                                const base::machine &machine) noexcept {
    const auto *const found = simd::first_that_serves(
        mixed_kernels(), instruction_set, &machine,
        [&](const mixed_kernel_info &one) { return one.product == product; });
    return found != nullptr ? *found
                            : mixed_kernels().back(); // never null: the last variant has all
}

bool has_instruction(mixed_product product, isa instruction_set,
                     const base::machine &machine) noexcept {
    return select(product, instruction_set, machine).variant.feature != nullptr;
}

} // namespace tenfold::gemm_impl
