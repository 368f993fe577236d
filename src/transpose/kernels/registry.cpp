#include "transpose/kernels/registry.hpp"

#include <algorithm>

#include "simd/kernel_table.hpp"
#include "transpose/plan/panel.hpp"

TENFOLD_DECLARE_KERNELS(transpose_strips, tenfold::transpose_impl::strip_kernels)
TENFOLD_DECLARE_KERNELS(transpose_short_strips, tenfold::transpose_impl::short_strip_kernels)
TENFOLD_DECLARE_KERNELS(transpose_byte_strips, tenfold::transpose_impl::byte_strip_kernels)
TENFOLD_DECLARE_KERNELS(transpose_copies, tenfold::transpose_impl::copy_kernels)

namespace tenfold::transpose_impl {
namespace {

struct kernel_set {
    simd::variant variant;
    const strip_kernels *strips;
    const short_strip_kernels *short_strips;
    const byte_strip_kernels *byte_strips;
    const copy_kernels *copies;
};

/// All sources are compiled for the same variants.
const auto &kernel_sets() noexcept {
    static const auto all = [] {
        const auto short_strips = TENFOLD_KERNEL_TABLE(transpose_short_strips);
        const auto byte_strips = TENFOLD_KERNEL_TABLE(transpose_byte_strips);
        const auto copies = TENFOLD_KERNEL_TABLE(transpose_copies);
        simd::bounded_list<kernel_set, simd::most_variants> sets;
        for (const auto &one : TENFOLD_KERNEL_TABLE(transpose_strips))
            sets.push_back({one.variant, one.kernels, short_strips.compiled_for(one.variant),
                            byte_strips.compiled_for(one.variant),
                            copies.compiled_for(one.variant)});
        return sets;
    }();
    return all;
}

const kernel_set &find(isa wanted) noexcept {
    const auto *const found = simd::first_that_serves(kernel_sets(), wanted);
    return found != nullptr ? *found : kernel_sets().back();
}

/// What serves a pair of types. Without a strip, rows only are converted in registers.
struct pair_kernels {
    strip_kernel strip;
    copy_kernel rows;
    scale_kernel scale; ///< of B
};

/// Types that have kernels working in registers, and which.
struct type_pair {
    data_type a, b;
    pair_kernels (*of)(const kernel_set &);
};

#define TENFOLD_PAIR(a, b, set, strip, rows, in_place)                                             \
    type_pair {                                                                                    \
        data_type::a, data_type::b, [](const kernel_set &from) {                                   \
            return pair_kernels{from.set->strip, from.copies->rows,                                \
                                from.copies->scale_##in_place};                                    \
        }                                                                                          \
    }
/// Rows are converted in stages, and tiles are moved as they are before.
#define TENFOLD_ROWS(a, b, in_place)                                                               \
    type_pair {                                                                                    \
        data_type::a, data_type::b, [](const kernel_set &from) {                                   \
            return pair_kernels{nullptr, from.copies->from_##a.to_##b,                             \
                                from.copies->scale_##in_place};                                    \
        }                                                                                          \
    }
constexpr type_pair pairs[] = {TENFOLD_PAIR(f32, f32, strips, f32, f32, f32),
                               TENFOLD_PAIR(f64, f64, strips, f64, f64, f64),
                               TENFOLD_PAIR(c32, c32, strips, c32, f32, f32),
                               TENFOLD_PAIR(c64, c64, strips, c64, f64, f64),
                               TENFOLD_PAIR(f32, f64, strips, f32_f64, f32_f64, f64),
                               TENFOLD_PAIR(f64, f32, strips, f64_f32, f64_f32, f32),
                               TENFOLD_PAIR(c32, c64, strips, c32_c64, f32_f64, f64),
                               TENFOLD_PAIR(c64, c32, strips, c64_c32, f64_f32, f32),
                               TENFOLD_PAIR(bf16, bf16, short_strips, bf16, bf16, bf16),
                               TENFOLD_PAIR(bf16, f32, short_strips, bf16_f32, bf16_f32, f32),
                               TENFOLD_PAIR(f32, bf16, short_strips, f32_bf16, f32_bf16, bf16),
                               TENFOLD_PAIR(f16, f16, short_strips, f16, f16, f16),
                               TENFOLD_PAIR(f16, f32, short_strips, f16_f32, f16_f32, f32),
                               TENFOLD_PAIR(f32, f16, short_strips, f32_f16, f32_f16, f16),
                               TENFOLD_PAIR(i32, i32, strips, i32, i32, i32),
                               TENFOLD_PAIR(i8, i8, byte_strips, compute, byte, byte),
                               TENFOLD_PAIR(u8, u8, byte_strips, compute, byte, byte),
                               TENFOLD_ROWS(bf16, f16, f16),
                               TENFOLD_ROWS(f16, bf16, bf16),
                               TENFOLD_ROWS(bf16, f64, f64),
                               TENFOLD_ROWS(f16, f64, f64),
                               TENFOLD_ROWS(f64, bf16, bf16),
                               TENFOLD_ROWS(f64, f16, f16),
                               TENFOLD_ROWS(f32, c32, f32),
                               TENFOLD_ROWS(f32, c64, f64),
                               TENFOLD_ROWS(f64, c32, f32),
                               TENFOLD_ROWS(f64, c64, f64),
                               TENFOLD_ROWS(bf16, c32, f32),
                               TENFOLD_ROWS(bf16, c64, f64),
                               TENFOLD_ROWS(f16, c32, f32),
                               TENFOLD_ROWS(f16, c64, f64)};
#undef TENFOLD_PAIR
#undef TENFOLD_ROWS

/// Null kernels where the types have none that work in registers.
pair_kernels find_pair(const kernel_set &kernels, data_type a, data_type b) noexcept {
    for (const type_pair &one : pairs)
        if (one.a == a && one.b == b)
            return one.of(kernels);
    return {};
}

/// What moves elements of so many bytes as they are.
strip_kernel mover_of(const kernel_set &kernels, index_t size) noexcept {
    if (size == 1)
        return kernels.byte_strips->copy;
    if (size == 2)
        return kernels.short_strips->copy;
    return kernels.strips->copy[size == 4 ? 0 : size == 8 ? 1 : 2];
}

copy_kernel copier_of(const kernel_set &kernels, index_t size) noexcept {
    return size == 1   ? kernels.copies->copy_byte
           : size == 2 ? kernels.copies->copy_short
                       : kernels.copies->copy;
}

/// Bytes of an element in a register.
index_t register_size(data_type a, data_type b) noexcept {
    return std::max<index_t>({size_of(a), size_of(b), 4});
}

/// Of a tile's rows: elements per register, or of one byte per lane.
index_t tile_width(const kernel_set &kernels, data_type a, data_type b) noexcept {
    constexpr index_t lane_bytes = 16;
    if (size_of(a) == 1)
        return lane_bytes;
    return std::max<index_t>(1, kernels.strips->bytes / register_size(a, b));
}

std::string types_text(data_type a, data_type b) {
    return std::string(name(a)) + (a == b ? "" : "_" + std::string(name(b)));
}

kernel_choice choice_of(const kernel_set &kernels, method how, data_type a, data_type b) {
    kernel_choice choice;
    const element_kernels elements = element_kernels_for(a, b);
    const pair_kernels both = find_pair(kernels, a, b);
    choice.scale = elements.scale;
    // Measured (4096 x 4096, f64 to c64): 140 ms by way of a buffer, 71 ms element by element.
    const bool by_elements = both.strip == nullptr && is_complex(b) && how == method::tiles;
    if (both.rows == nullptr || how == method::elements || by_elements) {
        constexpr index_t block = 16; // both tensors' lines of a block stay in the L1 cache
        choice.strip = choice.copy_strip = elements.strip;
        choice.rows = choice.copy_rows = elements.rows;
        choice.shape.width = block;
        return choice;
    }
    choice.shape.buffers = both.strip == nullptr;
    choice.strip = choice.copy_strip = choice.shape.buffers ? elements.strip : both.strip;
    choice.rows = choice.copy_rows = both.rows;
    choice.scale = both.scale;
    choice.move = mover_of(kernels, size_of(a));
    if (a == b) {
        choice.copy_strip = choice.move;
        choice.copy_rows = copier_of(kernels, size_of(a));
    }
    // Tiles have the width of the wider type, but those that are moved as they are that of A's.
    choice.shape.width = tile_width(kernels, a, choice.shape.buffers ? a : b);
    choice.shape.joins = size_of(a) == size_of(b) || choice.shape.buffers;
    choice.shape.carries =
        !choice.shape.buffers &&
        (size_of(b) == 1 ? kernels.byte_strips->carries
                         : kernels.strips->carries && size_of(b) == register_size(a, b));
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
    const std::string rows = std::to_string(shape.width);
    const std::string columns = size_of(type_a) == 1 ? std::to_string(line) : rows;
    return "transpose" + types + "_" + rows + "x" + columns + end;
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
                if (types.of(one).rows != nullptr)
                    names.push_back(choice_of(one, how, types.a, types.b).name());
    names.push_back(kernel_choice().name());
    return names;
}

} // namespace tenfold::transpose_impl
