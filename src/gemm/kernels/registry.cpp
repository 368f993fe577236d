#include "gemm/kernels/registry.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "simd/kernel_table.hpp"

// The types that have kernels, each in a source of its name.
#define TENFOLD_FOR_TYPES_WITH_KERNELS(apply) apply(f32) apply(f64) apply(c32) apply(c64)

#define TENFOLD_DECLARE(type) TENFOLD_DECLARE_KERNELS(gemm_##type, tenfold::gemm_impl::micro_kernel)
TENFOLD_FOR_TYPES_WITH_KERNELS(TENFOLD_DECLARE)

namespace tenfold::gemm_impl {
namespace {

#define TENFOLD_TYPE(type) data_type::type,
constexpr data_type types_with_kernels[] = {TENFOLD_FOR_TYPES_WITH_KERNELS(TENFOLD_TYPE)};
static_assert(std::ranges::all_of(all_data_types,
                                  [](data_type type) {
                                      return !is_arithmetic(type) ||
                                             std::ranges::count(types_with_kernels, type) == 1;
                                  }),
              "an arithmetic type has no line in TENFOLD_FOR_TYPES_WITH_KERNELS");

struct typed_table {
    data_type type;
    simd::kernel_table<micro_kernel> kernels;
};

using kernel_list =
    simd::bounded_list<kernel_info, simd::most_variants * std::size(types_with_kernels)>;

kernel_list describe_all() {
#define TENFOLD_TABLE(type) {data_type::type, TENFOLD_KERNEL_TABLE(gemm_##type)},
    const typed_table tables[] = {TENFOLD_FOR_TYPES_WITH_KERNELS(TENFOLD_TABLE)};
    kernel_list all;
    for (const simd::variant &variant : simd::variants())
        for (const typed_table &table : tables)
            if (const micro_kernel *kernel = table.kernels.compiled_for(variant))
                all.push_back({kernel->name, table.type, variant, kernel->mr, kernel->nr, kernel});
    return all;
}

using selection =
    std::array<std::array<const kernel_info *, std::size(all_isas)>, std::size(all_data_types)>;

const kernel_info *find(data_type type, isa instruction_set) noexcept {
    return simd::first_that_serves(kernels(), instruction_set, nullptr,
                                   [&](const kernel_info &one) { return one.type == type; });
}

/// Small products cannot afford a search, nor the registers that one saves.
[[gnu::noinline]] selection select_all() noexcept {
    selection table{};
    for (const data_type type : all_data_types)
        for (const isa set : all_isas)
            table[static_cast<std::size_t>(type)][static_cast<std::size_t>(set)] = find(type, set);
    return table;
}

} // namespace

std::span<const kernel_info> kernels() noexcept {
    static const kernel_list all = describe_all();
    return {all.data(), all.size()};
}

bool runs(const base::machine &machine, const kernel_info &kernel) noexcept {
    return simd::runs(machine, kernel.variant);
}

const kernel_info *select(data_type type, isa instruction_set) noexcept {
    static const selection table = select_all();
    return table[static_cast<std::size_t>(type)][static_cast<std::size_t>(instruction_set)];
}

} // namespace tenfold::gemm_impl
