#include "transpose/registry.hpp"

#include <iterator>

namespace tenfold::transpose_impl {

extern const move_kernels moves_generic;
extern const row_kernels rows_generic;
#if defined(__x86_64__)
extern const move_kernels moves_avx2;
extern const row_kernels rows_avx2;
extern const move_kernels moves_avx512;
extern const row_kernels rows_avx512;
#endif

namespace {

struct kernel_set {
    isa set;
    const move_kernels *moves;
    const row_kernels *rows;
};

/// The last one serves every ISA that is not listed.
constexpr kernel_set sets[] = {
#if defined(__x86_64__)
    {isa::avx512, &moves_avx512, &rows_avx512},
    {isa::avx2, &moves_avx2, &rows_avx2},
#endif
    {isa::generic, &moves_generic, &rows_generic}};

const kernel_set &find(isa wanted) noexcept {
    for (const kernel_set &one : sets)
        if (one.set == wanted)
            return one;
    return *(std::end(sets) - 1);
}

/// Place of elements of 2, 4, 8, 16 bytes in move_kernels::by_size.
std::size_t size_index(index_t element) noexcept {
    return element == 2 ? 0 : element == 4 ? 1 : element == 8 ? 2 : 3;
}

index_t tile_width(const kernel_set &kernels, index_t element) noexcept {
    return std::max<index_t>(1, kernels.moves->tile_bytes / element);
}

std::string move_name(const kernel_set &kernels, index_t element) {
    const std::string width = std::to_string(tile_width(kernels, element));
    return "move_" + std::to_string(element) + "B_" + width + "x" + width + "_" +
           std::string(name(kernels.set));
}

} // namespace

bool converts(data_type a, data_type b) noexcept { return element_kernel_for(a, b) != nullptr; }

kernel_choice choose_kernels(isa wanted, data_type a, data_type b) {
    const kernel_set &kernels = find(wanted);
    const index_t element = size_of(a);
    kernel_choice choice;
    choice.move = kernels.moves->by_size[size_index(element)];
    choice.moves_lines = kernels.moves->tile_bytes == 64 && element > 2;
    choice.element = element_kernel_for(a, b);
    choice.name = move_name(kernels, element) + " + rows_";
    if (a == b) {
        choice.copy = kernels.rows->copy;
        choice.copy_unit = element;
    }
    if (a == b && element > 2) {
        const bool single = a == data_type::f32 || a == data_type::c32;
        choice.scale = single ? kernels.rows->f32 : kernels.rows->f64;
        choice.scale_unit = is_complex(a) ? 2 : 1;
        choice.name += std::string(single ? "f32_" : "f64_") + std::string(name(kernels.set));
    } else {
        choice.scale = converting_row_kernel_for(a, b);
        choice.name += std::string(name(a)) + "_" + std::string(name(b)) + "_generic";
    }
    return choice;
}

std::vector<std::string> kernel_names() {
    std::vector<std::string> names;
    for (const kernel_set &one : sets) {
        for (const index_t element : {2, 4, 8, 16})
            names.push_back(move_name(one, element));
        for (const char *type : {"copy", "f32", "f64"})
            names.push_back(std::string("rows_") + type + "_" + std::string(name(one.set)));
    }
    return names;
}

} // namespace tenfold::transpose_impl
