#include "gemm/epilogue.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include <tenfold/error.hpp>

#include "base/machine.hpp"
#include "base/scalars.hpp"
#include "base/with_stored_type.hpp"
#include "gemm/epilogue_lines.hpp"

TENFOLD_DECLARE_KERNELS(gemm_functions, tenfold::gemm_impl::element_kernel_set)

namespace tenfold::gemm_impl {
namespace {

using base::range;
using what = epilogue_step::what;

/// Number of elements to which all steps are applied before the next ones, so that they stay in L1.
constexpr index_t chunk_elements = longest_line;

std::string step_name(int number) { return "epilogue step " + std::to_string(number + 1); }
std::string step_text(int number) { return "gemm: " + step_name(number); }

/// Returns where the matrix of a step lies; a bias has one row or one column.
batch_placement place_of(const epilogue_step &step) noexcept {
    return {{step.data, size_of(step.type), step.rows == -1 ? 1 : step.rows,
             step.columns == -1 ? 1 : step.columns, step.row_stride, step.column_stride},
            1,
            0};
}

void require_reach(const epilogue_step &step, int number) {
    if (!fits_64_bits(place_of(step)))
        throw error(errc::overflow, step_text(number) + ": its matrix has " +
                                        describe(place_of(step).first) +
                                        ": these positions do not fit 64 bits");
}

const element_kernel_set &kernels_for(isa instruction_set) noexcept {
    return *element_kernel_table().find(instruction_set).kernels;
}

/// Null for complex types.
const element_kernels *kernels_of(data_type type, isa instruction_set) noexcept {
    const element_kernel_set &set = kernels_for(instruction_set);
    switch (output_type_of(type)) {
    case data_type::f32:
        return &set.f32;
    case data_type::f64:
        return &set.f64;
    case data_type::i32:
        return &set.i32;
    default:
        return nullptr;
    }
}

/// Null for types that are computed with as they are.
const stored_elements *stored_of(data_type type, isa instruction_set) noexcept {
    const element_kernel_set &set = kernels_for(instruction_set);
    return type == data_type::bf16 ? &set.bf16 : type == data_type::f16 ? &set.f16 : nullptr;
}

void require_extents(const epilogue_step &step, index_t m, index_t n, int number) {
    const auto require = [&](int mode, index_t extent, index_t of_c) {
        if (extent != -1 && extent != of_c)
            throw error(errc::extent_mismatch,
                        step_text(number) + ": it has " + std::to_string(extent) +
                            (mode == 0 ? " rows" : " columns") + ", C has " + std::to_string(of_c),
                        {.first = {.name = step_name(number), .mode = mode, .extent = extent},
                         .second = {.name = "C", .mode = mode, .extent = of_c}});
    };
    require(0, step.rows, m);
    require(1, step.columns, n);
}

} // namespace

const simd::kernel_table<element_kernel_set> &element_kernel_table() {
    static const auto table = TENFOLD_KERNEL_TABLE(gemm_functions);
    return table;
}

fused_epilogue::fused_epilogue(const epilogue &steps, data_type type, index_t m, index_t n,
                               isa instruction_set)
    : type_(type), m_(m), n_(n), kernels_(kernels_of(type, instruction_set)),
      stored_(stored_of(type, instruction_set)) {
    int number = 0;
    for (const epilogue_step &given : steps.steps()) {
        check_step(given, type, {step_text(number), step_name(number), "C"});
        if (given.has_operand()) {
            require_extents(given, m, n, number);
            require_reach(given, number);
            if (given.data == nullptr && m > 0 && n > 0)
                throw error(errc::null_pointer, step_text(number) + ": its matrix is null",
                            {.first = {.name = step_name(number)}});
        }
        ++number;
    }
    take(steps.steps());
}

fused_epilogue::fused_epilogue(std::span<const epilogue_step> steps, data_type type,
                               isa instruction_set, const tensor_places &places) noexcept
    : type_(type), places_(places), kernels_(kernels_of(type, instruction_set)),
      stored_(stored_of(type, instruction_set)) {
    take(steps);
}

void fused_epilogue::take(std::span<const epilogue_step> steps) noexcept {
    for (const epilogue_step &given : steps) {
        step &own = steps_[static_cast<std::size_t>(count_++)];
        own.given = given;
        base::with_stored_type(type_, [&]<class Stored, class T>(Stored, T) {
            const T factor = base::scalar_cast<T>(given.factor);
            std::memcpy(own.factor.data(), &factor, sizeof(T));
        });
    }
}

void fused_epilogue::require_apart(const batch_placement &c) const {
    for (int i = 0; i < count_; ++i) {
        const epilogue_step &s = steps_[static_cast<std::size_t>(i)].given;
        if (s.has_operand() && share_memory(place_of(s), c))
            throw error(errc::overlap,
                        step_text(i) +
                            ": its matrix overlaps C; copy it, or use beta to add C itself",
                        {.first = {.name = step_name(i)}, .second = {.name = "C"}});
    }
}

void fused_epilogue::set_data(std::size_t number, const void *data) noexcept {
    epilogue_step &s = steps_[number].given;
    if (s.has_operand())
        s.data = data;
    else
        s.context = const_cast<void *>(data); // the caller gave a pointer that is not const
}

void fused_epilogue::transpose() noexcept {
    std::swap(m_, n_);
    for (step &one : std::span(steps_).first(static_cast<std::size_t>(count_)))
        std::swap(one.given.row_stride, one.given.column_stride);
}

void fused_epilogue::reverse_rows() noexcept {
    for (step &one : std::span(steps_).first(static_cast<std::size_t>(count_))) {
        epilogue_step &s = one.given;
        if (!s.has_operand() || places_.lowest != nullptr)
            continue; // a tensor's elements are found by their addresses
        s.data = static_cast<const std::byte *>(s.data) + (m_ - 1) * s.row_stride * size_of(type_);
        s.row_stride = -s.row_stride;
    }
}

/// A position of a tensor, mode by mode.
struct fused_epilogue::tensor_position {
    std::array<index_t, tensor_places::most_modes> digits; ///< uninitialised
};

fused_epilogue::tensor_position fused_epilogue::position_of(std::ptrdiff_t offset) const noexcept {
    tensor_position at;
    for (std::size_t k = 0; k < places_.modes.size(); ++k) {
        const index_t stride = places_.modes[k].stride;
        at.digits[k] = stride == 1 ? offset : offset / stride;
        offset -= at.digits[k] * stride;
    }
    return at;
}

/// Combines a tile with its part of a step's tensor of X: where it lies, if the part is a matrix of
/// T, else from a copy of it. A mode of D that a product has fused may be several ones of the
/// tensor, so that rows or columns are not a straight line.
template <class X, class T, class Stored>
void fused_epilogue::combine_tensor(std::size_t number, const tensor_position &at,
                                    const tile_place<Stored> &place,
                                    const element_tile &tile) const noexcept {
    constexpr bool is_copied = std::is_same_v<X, T>;
    const step &one = steps_[number];
    const std::span modes = places_.modes;
    const auto of_tensor = [&](const tensor_position &position) {
        const X *x = static_cast<const X *>(one.given.data);
        for (std::size_t k = 0; k < modes.size(); ++k)
            x += position.digits[k] * modes[k].other[number];
        return x;
    };
    const straight_line rows =
        line_along(modes, at.digits.data(), tile.m > 1 ? place.row_stride : 0, number);
    const straight_line columns =
        line_along(modes, at.digits.data(), tile.n > 1 ? place.column_stride : 0, number);
    const bool straight_columns = columns.length >= tile.n;
    if (is_copied && rows.length >= tile.m && straight_columns)
        return combine<T>(one, tile, {of_tensor(at), rows.step, columns.step, one.factor.data()});

    // A bias along the rows is copied once for all columns.
    const bool is_one_column = straight_columns && columns.step == 0;
    alignas(64) T copy[chunk_elements];
    const Stored *const lowest = static_cast<const Stored *>(places_.lowest);
    for (index_t j = 0; j < (is_one_column ? 1 : tile.n); ++j) {
        const std::ptrdiff_t column = place.first + j * place.column_stride - lowest;
        tensor_position now = position_of(column);
        for (index_t i = 0;;) {
            const straight_line run =
                line_along(modes, now.digits.data(), place.row_stride, number);
            const index_t length = std::min(run.length, tile.m - i);
            read_line(stored_, of_tensor(now), run.step, length, copy + j * tile.m + i);
            i += length;
            if (i == tile.m)
                break;
            if (!carry(modes, place.row_stride, now.digits.data()))
                now = position_of(column + i * place.row_stride);
        }
    }
    combine<T>(one, tile, {copy, 1, is_one_column ? 0 : tile.m, one.factor.data()});
}

template <class T> void fused_epilogue::combine(const step &one, const element_tile &tile,
                                                const tile_operand &with) const noexcept {
    const bool adds = one.given.kind == what::add;
    if constexpr (element_traits<T>::is_complex) {
        T *const d = static_cast<T *>(tile.d);
        const T *const x = static_cast<const T *>(with.x);
        const T factor = *reinterpret_cast<const T *>(one.factor.data());
        const auto run = [&](const auto &combine_elements) {
            for (index_t j = 0; j < tile.n; ++j)
                for (index_t i = 0; i < tile.m; ++i)
                    combine_elements(d[i + j * tile.column_stride],
                                     factor *
                                         base::op(x[i * with.row_stride + j * with.column_stride],
                                                  one.given.conjugated));
        };
        if (adds)
            run([](T &element, const T &other) { element += other; });
        else
            run([](T &element, const T &other) { element *= other; });
    } else {
        (adds ? kernels_->add : kernels_->multiply)(&tile, &with);
    }
}

/// Combines a tile with what goes with it in a matrix of X, or in a tensor.
template <class X, class T, class Stored>
void fused_epilogue::combine_with(std::size_t number, const tensor_position &at,
                                  const tile_place<Stored> &place,
                                  const element_tile &tile) const noexcept {
    if (places_.lowest != nullptr)
        return combine_tensor<X, T>(number, at, place, tile);
    const step &one = steps_[number];
    const epilogue_step &s = one.given;
    const X *const x =
        static_cast<const X *>(s.data) + place.row * s.row_stride + place.column * s.column_stride;
    const index_t rows = place.turned ? s.column_stride : s.row_stride;
    const index_t columns = place.turned ? s.row_stride : s.column_stride;
    if constexpr (std::is_same_v<X, T>) {
        combine<T>(one, tile, {x, rows, columns, one.factor.data()});
    } else {
        alignas(64) T copy[chunk_elements];
        for (index_t j = 0; j < (columns == 0 ? 1 : tile.n); ++j)
            read_line(stored_, x + j * columns, rows, tile.m, copy + j * tile.m);
        combine<T>(one, tile, {copy, 1, columns == 0 ? 0 : tile.m, one.factor.data()});
    }
}

/// A caller's function for D's elements sees them rounded.
template <class T, class Stored>
void fused_epilogue::call(const epilogue_step &s, T *d, index_t count) const noexcept {
    if (std::is_same_v<T, Stored> || s.type != type_)
        return reinterpret_cast<run_function<T>>(s.call)(d, count, s.context);
    Stored line[chunk_elements];
    write_line(stored_, d, count, line, 1);
    reinterpret_cast<run_function<Stored>>(s.call)(line, count, s.context);
    read_line(stored_, line, 1, count, d);
}

template <class T, class Stored>
void fused_epilogue::run_steps(const tile_place<Stored> &place,
                               const element_tile &tile) const noexcept {
    T *const d = static_cast<T *>(tile.d);
    tensor_position at;
    if (!places_.modes.empty())
        at = position_of(place.first - static_cast<const Stored *>(places_.lowest));
    for (std::size_t i = 0; i < static_cast<std::size_t>(count_); ++i) {
        const step &one = steps_[i];
        const epilogue_step &s = one.given;
        switch (s.kind) {
        case what::scale:
            if constexpr (element_traits<T>::is_complex) {
                const T factor = *reinterpret_cast<const T *>(one.factor.data());
                for (index_t j = 0; j < tile.n; ++j)
                    for (index_t k = 0; k < tile.m; ++k)
                        d[k + j * tile.column_stride] *= factor;
            } else {
                kernels_->scale(&tile, one.factor.data());
            }
            break;
        case what::add:
        case what::multiply:
            if (s.type == type_)
                combine_with<Stored, T>(i, at, place, tile);
            else
                combine_with<T, T>(i, at, place, tile);
            break;
        case what::function:
            if constexpr (!element_traits<T>::is_complex)
                kernels_->functions[static_cast<int>(s.function)](&tile);
            break;
        case what::call:
            if constexpr (!element_traits<T>::is_complex)
                for (index_t j = 0; j < tile.n; ++j)
                    call<T, Stored>(s, d + j * tile.column_stride, tile.m);
            break;
        }
    }
}

template <class T, class Stored>
void fused_epilogue::apply_typed(range rows, range columns, Stored *d, index_t row_stride,
                                 index_t column_stride) const noexcept {
    // The inner loop runs along the smaller stride.
    const bool turned =
        (std::abs(column_stride) < std::abs(row_stride) || rows.size() == 1) && columns.size() > 1;
    const range inner = turned ? columns : rows;
    const range outer = turned ? rows : columns;
    const index_t inner_stride = turned ? column_stride : row_stride;
    const index_t outer_stride = turned ? row_stride : column_stride;
    const bool in_place = inner_stride == 1 || inner.size() == 1;
    // If elements are not adjacent, a tile is a square, so that every cache line it touches is used
    // whole.
    const index_t height = std::min(inner.size(), in_place ? chunk_elements : index_t{32});
    const index_t width = std::max<index_t>(1, chunk_elements / std::max<index_t>(1, height));

    alignas(64) T buffer[chunk_elements];
    for (index_t j = outer.begin; j < outer.end; j += width)
        for (index_t i = inner.begin; i < inner.end; i += height) {
            Stored *const from = d + i * inner_stride + j * outer_stride;
            element_tile tile{std::min(height, inner.end - i), std::min(width, outer.end - j), from,
                              outer_stride};
            const tile_place<Stored> place{turned ? j : i, turned ? i : j, turned,
                                           from,           inner_stride,   outer_stride};
            if (std::is_same_v<T, Stored> && in_place) {
                run_steps<T>(place, tile);
                continue;
            }
            tile.d = buffer;
            tile.column_stride = tile.m;
            for (index_t y = 0; y < tile.n; ++y)
                read_line(stored_, from + y * outer_stride, inner_stride, tile.m,
                          buffer + y * tile.m);
            run_steps<T>(place, tile);
            for (index_t y = 0; y < tile.n; ++y)
                write_line(stored_, buffer + y * tile.m, tile.m, from + y * outer_stride,
                           inner_stride);
        }
}

void fused_epilogue::apply(range rows, range columns, void *d, index_t row_stride,
                           index_t column_stride) const noexcept {
    if (rows.empty() || columns.empty())
        return;
    base::with_stored_type(type_, [&]<class Stored, class T>(Stored, T) {
        apply_typed<T>(rows, columns, static_cast<Stored *>(d), row_stride, column_stride);
    });
}

void fused_epilogue::apply_all(index_t m, index_t n, void *d, index_t row_stride,
                               index_t column_stride, int threads) const noexcept {
    base::run_parallel(threads, [&](base::team_member me) {
        if (n >= me.size())
            apply({0, m}, base::split(n, me.size(), me.id()), d, row_stride, column_stride);
        else
            apply(base::split(m, me.size(), me.id()), {0, n}, d, row_stride, column_stride);
    });
}

} // namespace tenfold::gemm_impl
