#include "transpose/kernels/registry.hpp"

#include <algorithm>

#include "simd/kernel_table.hpp"

TENFOLD_DECLARE_KERNELS(transpose_strips, tenfold::transpose_impl::strip_kernels)
TENFOLD_DECLARE_KERNELS(transpose_copies, tenfold::transpose_impl::copy_kernels)

namespace tenfold::transpose_impl {
namespace {

struct kernel_set {
    simd::variant variant;
    const strip_kernels *strips;
    const copy_kernels *copies;
};

/// Both sources are compiled for the same variants.
const auto &kernel_sets() noexcept {
    static const auto all = [] {
        const auto copies = TENFOLD_KERNEL_TABLE(transpose_copies);
        simd::bounded_list<kernel_set, simd::most_variants> sets;
        for (const auto &one : TENFOLD_KERNEL_TABLE(transpose_strips))
            sets.push_back({one.variant, one.kernels, copies.compiled_for(one.variant)});
        return sets;
    }();
    return all;
}

const kernel_set &find(isa wanted) noexcept {
    const auto *const found = simd::first_that_serves(kernel_sets(), wanted);
    return found != nullptr ? *found : kernel_sets().back();
}

/// Types that have kernels working in registers, and which.
struct type_pair {
    data_type a, b;
    strip_kernel strip_kernels::*strip;
    copy_kernel copy_kernels::*rows;
    int copy_size; ///< place in strip_kernels::copy; -1 where types differ
};

constexpr type_pair pairs[] = {
    {data_type::f32, data_type::f32, &strip_kernels::f32, &copy_kernels::f32, 0},
    {data_type::f64, data_type::f64, &strip_kernels::f64, &copy_kernels::f64, 1},
    {data_type::c32, data_type::c32, &strip_kernels::c32, &copy_kernels::f32, 1},
    {data_type::c64, data_type::c64, &strip_kernels::c64, &copy_kernels::f64, 2},
    {data_type::f32, data_type::f64, &strip_kernels::f32_f64, &copy_kernels::f32_f64, -1},
    {data_type::f64, data_type::f32, &strip_kernels::f64_f32, &copy_kernels::f64_f32, -1},
    {data_type::c32, data_type::c64, &strip_kernels::c32_c64, &copy_kernels::f32_f64, -1},
    {data_type::c64, data_type::c32, &strip_kernels::c64_c32, &copy_kernels::f64_f32, -1}};

const type_pair *find_pair(data_type a, data_type b) noexcept {
    for (const type_pair &one : pairs)
        if (one.a == a && one.b == b)
            return &one;
    return nullptr;
}

/// Of a tile's rows: elements per register of the wider type.
index_t tile_width(const kernel_set &kernels, const type_pair &types) noexcept {
    return std::max<index_t>(1,
                             kernels.strips->bytes / std::max(size_of(types.a), size_of(types.b)));
}

std::string types_text(data_type a, data_type b) {
    return std::string(name(a)) + (a == b ? "" : "_" + std::string(name(b)));
}

kernel_choice choice_of(const kernel_set &kernels, method how, data_type a, data_type b) {
    kernel_choice choice;
    const element_kernels elements = element_kernels_for(a, b);
    const type_pair *types = find_pair(a, b);
    choice.scale = elements.scale;
    if (types == nullptr || how == method::elements) {
        constexpr index_t block = 16; // both tensors' lines of a block stay in the L1 cache
        choice.strip = choice.copy_strip = elements.strip;
        choice.rows = choice.copy_rows = elements.rows;
        choice.shape.width = block;
        return choice;
    }
    choice.strip = choice.copy_strip = kernels.strips->*types->strip;
    choice.rows = choice.copy_rows = kernels.copies->*types->rows;
    if (types->copy_size >= 0) {
        choice.copy_strip = kernels.strips->copy[types->copy_size];
        choice.copy_rows = kernels.copies->copy;
    }
    choice.move = kernels.strips->copy[size_of(a) == 4 ? 0 : size_of(a) == 8 ? 1 : 2];
    const bool single = b == data_type::f32 || b == data_type::c32;
    choice.scale = single ? kernels.copies->scale_f32 : kernels.copies->scale_f64;
    choice.shape.width = tile_width(kernels, *types);
    choice.shape.joins = size_of(a) == size_of(b); // tiles have the width of the wider type
    choice.shape.carries = kernels.strips->carries && size_of(a) <= size_of(b);
    choice.how = how;
    choice.type_a = a;
    choice.type_b = b;
    choice.variant = kernels.variant.name;
    return choice;
}

} // namespace

std::string kernel_choice::name() const {
    const std::string end = "_" + std::string(variant);
    if (how == method::elements)
        return "elements" + end;
    const std::string types = "_" + types_text(type_a, type_b);
    if (how == method::rows)
        return "copy" + types + end;
    const std::string width = std::to_string(shape.width);
    return "transpose" + types + "_" + width + "x" + width + end;
}

bool converts(data_type a, data_type b) noexcept {
    return element_kernels_for(a, b).strip != nullptr;
}

kernel_choice choose_kernels(isa wanted, method how, data_type a, data_type b) {
    return choice_of(find(wanted), how, a, b);
}

std::vector<std::string> kernel_names() {
    std::vector<std::string> names;
    for (const kernel_set &one : kernel_sets())
        for (const type_pair &types : pairs)
            for (const method how : {method::tiles, method::rows})
                names.push_back(choice_of(one, how, types.a, types.b).name());
    names.push_back(kernel_choice().name());
    return names;
}

} // namespace tenfold::transpose_impl
