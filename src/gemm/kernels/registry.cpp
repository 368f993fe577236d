#include "gemm/kernels/registry.hpp"

#include <algorithm>
#include <array>
#include <iterator>

// One entry per kernel source and instruction set (cmake/TenfoldKernel.cmake builds the same list).
// Type, instruction set, and what the source is compiled for: SVE has two lengths.
#define TENFOLD_FOR_TYPES(apply, isa, variant)                                                     \
    apply(f32, isa, variant) apply(f64, isa, variant) apply(c32, isa, variant)                     \
        apply(c64, isa, variant)
#if defined(__x86_64__)
#define TENFOLD_FOR_KERNELS(apply)                                                                 \
    TENFOLD_FOR_TYPES(apply, avx512, avx512)                                                       \
    TENFOLD_FOR_TYPES(apply, avx2, avx2) TENFOLD_FOR_TYPES(apply, generic, generic)
#elif defined(__aarch64__)
#define TENFOLD_FOR_KERNELS(apply)                                                                 \
    TENFOLD_FOR_TYPES(apply, sve, sve256)                                                          \
    TENFOLD_FOR_TYPES(apply, sve, sve512)                                                          \
    TENFOLD_FOR_TYPES(apply, neon, neon) TENFOLD_FOR_TYPES(apply, generic, generic)
#else
#define TENFOLD_FOR_KERNELS(apply) TENFOLD_FOR_TYPES(apply, generic, generic)
#endif

#define TENFOLD_DECLARE(type, isa, variant)                                                        \
    extern "C" const tenfold::gemm_impl::micro_kernel *tenfold_gemm_##type##_##variant();
TENFOLD_FOR_KERNELS(TENFOLD_DECLARE)

namespace tenfold::gemm_impl {
namespace {

#define TENFOLD_TYPE(type, isa, variant) data_type::type,
constexpr data_type types_with_kernels[] = {TENFOLD_FOR_TYPES(TENFOLD_TYPE, , )};
static_assert(std::ranges::all_of(all_data_types,
                                  [](data_type type) {
                                      return !is_arithmetic(type) ||
                                             std::ranges::count(types_with_kernels, type) == 1;
                                  }),
              "an arithmetic type has no line in TENFOLD_FOR_TYPES");

kernel_info describe(data_type type, isa instruction_set, const micro_kernel *kernel) {
    return {kernel->name, type, instruction_set, kernel->mr, kernel->nr, kernel};
}

bool has_registers_of(const kernel_info &info) noexcept {
    const auto size = static_cast<int>(size_of(real_type_of(info.type)));
    return base::has_registers_of(info.isa, info.kernel->vector_length * size);
}

constexpr std::array sets = {isa::generic, isa::avx2, isa::avx512, isa::neon, isa::sve};
using selection =
    std::array<std::array<const kernel_info *, sets.size()>, std::size(all_data_types)>;

const kernel_info *find(data_type type, isa instruction_set) noexcept {
    for (const isa wanted : {instruction_set, isa::neon, isa::generic}) {
        // NEON is a substitute for SVE only.
        if (wanted == isa::neon && instruction_set != isa::sve && instruction_set != isa::neon)
            continue;
        for (const kernel_info &one : kernels())
            if (one.type == type && one.isa == wanted && has_registers_of(one))
                return &one;
    }
    return nullptr;
}

/// Small products cannot afford a search, nor the registers that one saves.
[[gnu::noinline]] selection select_all() noexcept {
    selection table{};
    for (const data_type type : all_data_types)
        for (const isa set : sets)
            table[static_cast<std::size_t>(type)][static_cast<std::size_t>(set)] = find(type, set);
    return table;
}

} // namespace

std::span<const kernel_info> kernels() noexcept {
#define TENFOLD_LIST(type, set, variant)                                                           \
    describe(data_type::type, isa::set, tenfold_gemm_##type##_##variant()),
    static const std::array all{TENFOLD_FOR_KERNELS(TENFOLD_LIST)};
    return all;
}

bool runs(const base::machine &machine, const kernel_info &kernel) noexcept {
    return machine.supports(kernel.isa) && has_registers_of(kernel);
}

const kernel_info *select(data_type type, isa instruction_set) noexcept {
    static const selection table = select_all();
    return table[static_cast<std::size_t>(type)][static_cast<std::size_t>(instruction_set)];
}

} // namespace tenfold::gemm_impl
