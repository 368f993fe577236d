#include "gemm/epilogue.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include <tenfold/error.hpp>

#include "base/machine.hpp"
#include "base/scalars.hpp"
#include "base/with_type.hpp"

TENFOLD_DECLARE_KERNELS(gemm_functions, tenfold::gemm_impl::element_kernel_set)

namespace tenfold {

std::string_view name(elementwise function) noexcept {
    switch (function) {
    case elementwise::relu:
        return "relu";
    case elementwise::exp:
        return "exp";
    case elementwise::tanh:
        return "tanh";
    case elementwise::sigmoid:
        return "sigmoid";
    case elementwise::gelu_tanh:
        return "gelu_tanh";
    case elementwise::gelu_erf:
        return "gelu_erf";
    }
    return "unknown";
}

epilogue &epilogue::scale(scalar factor) {
    return add({.kind = epilogue_step::what::scale, .factor = factor});
}

epilogue &epilogue::apply(elementwise function) {
    if (static_cast<int>(function) >= gemm_impl::element_function_count)
        throw error(errc::invalid_argument, "epilogue: there is no function " +
                                                std::to_string(static_cast<int>(function)) +
                                                "; see tenfold::elementwise");
    return add({.kind = epilogue_step::what::function, .function = function});
}

epilogue &epilogue::add(const epilogue_step &step) {
    if (count_ == most_steps)
        throw error(errc::invalid_argument, "epilogue: more than " + std::to_string(most_steps) +
                                                " steps; apply the rest after gemm");
    steps_[static_cast<std::size_t>(count_++)] = step;
    return *this;
}

} // namespace tenfold

namespace tenfold::gemm_impl {
namespace {

using base::range;
using what = epilogue_step::what;

/// Number of elements to which all steps are applied before the next ones, so that they stay in L1.
constexpr index_t chunk_elements = 1024;

std::string step_name(int number) { return "epilogue step " + std::to_string(number + 1); }
std::string step_text(int number) { return "gemm: " + step_name(number); }

void require_type(const epilogue_step &step, data_type type, int number) {
    const std::string of_c = "C has type " + std::string(name(type));
    if (step.kind == what::add || step.kind == what::call) {
        if (step.type != type)
            throw error(errc::type_mismatch,
                        step_text(number) + " is of type " + std::string(name(step.type)) + ", " +
                            of_c,
                        {.first = {.name = step_name(number), .type = step.type},
                         .second = {.name = "C", .type = type}});
    }
    if (step.kind == what::scale || step.kind == what::add) {
        if (!base::fits(type, step.factor))
            throw error(
                errc::type_mismatch,
                step_text(number) + ": the factor has an imaginary part, but " + of_c,
                {.first = {.name = step_name(number)}, .second = {.name = "C", .type = type}});
    } else if (is_complex(type)) {
        throw error(errc::unsupported, step_text(number) + ": functions are for f32 and f64, but " +
                                           of_c + ", which can be scaled and added to");
    }
}

/// Returns where the matrix of an add step lies; a bias has one row or one column.
batch_placement place_of(const epilogue_step &step) noexcept {
    return {{step.data, size_of(step.type), step.rows == -1 ? 1 : step.rows,
             step.columns == -1 ? 1 : step.columns, step.row_stride, step.column_stride},
            1,
            0};
}

void require_reach(const epilogue_step &step, int number) {
    if (step.kind == what::add && !fits_64_bits(place_of(step)))
        throw error(errc::overflow, step_text(number) + ": what is added has " +
                                        describe(place_of(step).first) +
                                        ": these positions do not fit 64 bits");
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
    : type_(type), m_(m), n_(n) {
    const element_kernel_set &set = *element_kernel_table().find(instruction_set).kernels;
    if (type == data_type::f32)
        kernels_ = &set.f32;
    else if (type == data_type::f64)
        kernels_ = &set.f64;
    for (const epilogue_step &given : steps.steps()) {
        require_type(given, type, count_);
        if (given.kind == what::add) {
            require_extents(given, m, n, count_);
            require_reach(given, count_);
            if (given.data == nullptr && m > 0 && n > 0)
                throw error(errc::null_pointer, step_text(count_) + ": what is added is null",
                            {.first = {.name = step_name(count_)}});
        }
        if (given.kind == what::call && given.call == nullptr)
            throw error(errc::null_pointer, step_text(count_) + ": the function is null",
                        {.first = {.name = step_name(count_)}});
        step &own = steps_[static_cast<std::size_t>(count_++)];
        own.given = given;
        base::with_arithmetic_type(type, [&]<class T>(T) {
            const T factor = base::scalar_cast<T>(given.factor);
            std::memcpy(own.factor.data(), &factor, sizeof(T));
        });
    }
}

void fused_epilogue::require_apart(const batch_placement &c) const {
    for (int i = 0; i < count_; ++i) {
        const epilogue_step &s = steps_[static_cast<std::size_t>(i)].given;
        if (s.kind != what::add)
            continue;
        if (share_memory(place_of(s), c))
            throw error(errc::overlap,
                        step_text(i) +
                            ": what is added overlaps C; copy it, or use beta to add C itself",
                        {.first = {.name = step_name(i)}, .second = {.name = "C"}});
    }
}

void fused_epilogue::transpose() noexcept {
    std::swap(m_, n_);
    for (step &one : std::span(steps_).first(static_cast<std::size_t>(count_)))
        std::swap(one.given.row_stride, one.given.column_stride);
}

void fused_epilogue::reverse_rows() noexcept {
    for (step &one : std::span(steps_).first(static_cast<std::size_t>(count_))) {
        epilogue_step &s = one.given;
        if (s.kind != what::add)
            continue;
        s.data = static_cast<const std::byte *>(s.data) + (m_ - 1) * s.row_stride * size_of(type_);
        s.row_stride = -s.row_stride;
    }
}

/// Applies the steps to a tile whose first element is (row, column) of C. `turned` says that the
/// tile holds C^T.
template <class T> void fused_epilogue::run_steps(index_t row, index_t column, bool turned,
                                                  const element_tile &tile) const noexcept {
    T *const d = static_cast<T *>(tile.d);
    for (int i = 0; i < count_; ++i) {
        const step &one = steps_[static_cast<std::size_t>(i)];
        const epilogue_step &s = one.given;
        T factor;
        std::memcpy(&factor, one.factor.data(), sizeof(T));
        addend other{nullptr, s.row_stride, s.column_stride, one.factor.data()};
        if (s.kind == what::add) {
            other.x =
                static_cast<const T *>(s.data) + row * s.row_stride + column * s.column_stride;
            if (turned)
                std::swap(other.row_stride, other.column_stride);
        }
        if constexpr (element_traits<T>::is_complex) {
            const T *x = static_cast<const T *>(other.x);
            for (index_t j = 0; j < tile.n; ++j)
                for (index_t k = 0; k < tile.m; ++k) {
                    T &element = d[k + j * tile.column_stride];
                    if (s.kind == what::scale)
                        element *= factor;
                    else
                        element += factor * x[k * other.row_stride + j * other.column_stride];
                }
        } else {
            switch (s.kind) {
            case what::scale:
                kernels_->scale(&tile, &factor);
                break;
            case what::add:
                kernels_->add(&tile, &other);
                break;
            case what::function:
                kernels_->functions[static_cast<int>(s.function)](&tile);
                break;
            case what::call:
                for (index_t j = 0; j < tile.n; ++j)
                    reinterpret_cast<run_function<T>>(s.call)(d + j * tile.column_stride, tile.m,
                                                              s.context);
                break;
            }
        }
    }
}

template <class T> void fused_epilogue::apply_typed(range rows, range columns, T *d,
                                                    index_t row_stride,
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
            T *const from = d + i * inner_stride + j * outer_stride;
            element_tile tile{std::min(height, inner.end - i), std::min(width, outer.end - j), from,
                              outer_stride};
            const index_t row = turned ? j : i;
            const index_t column = turned ? i : j;
            if (in_place) {
                run_steps<T>(row, column, turned, tile);
                continue;
            }
            tile.d = buffer;
            tile.column_stride = tile.m;
            for (index_t y = 0; y < tile.n; ++y)
                for (index_t x = 0; x < tile.m; ++x)
                    buffer[x + y * tile.m] = from[x * inner_stride + y * outer_stride];
            run_steps<T>(row, column, turned, tile);
            for (index_t y = 0; y < tile.n; ++y)
                for (index_t x = 0; x < tile.m; ++x)
                    from[x * inner_stride + y * outer_stride] = buffer[x + y * tile.m];
        }
}

void fused_epilogue::apply(range rows, range columns, void *d, index_t row_stride,
                           index_t column_stride) const noexcept {
    if (rows.empty() || columns.empty())
        return;
    base::with_arithmetic_type(type_, [&]<class T>(T) {
        apply_typed(rows, columns, static_cast<T *>(d), row_stride, column_stride);
    });
}

void fused_epilogue::apply_all(void *d, index_t row_stride, index_t column_stride,
                               int threads) const noexcept {
    base::run_parallel(threads, [&](base::team_member me) {
        if (n_ >= me.size())
            apply({0, m_}, base::split(n_, me.size(), me.id()), d, row_stride, column_stride);
        else
            apply(base::split(m_, me.size(), me.id()), {0, n_}, d, row_stride, column_stride);
    });
}

} // namespace tenfold::gemm_impl
