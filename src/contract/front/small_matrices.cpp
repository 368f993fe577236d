#include "contract/front/small_matrices.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <tenfold/gemm.hpp>

#include "base/context_of.hpp"
#include "base/log.hpp"
#include "base/option_checks.hpp"
#include "contract/choose/small_product.hpp"
#include "contract/front/plan_state.hpp"
#include "gemm/forms/small.hpp"

namespace tenfold::contract_impl {
namespace {

constexpr bool is_letter(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Two different labels of a matrix.
struct label_pair {
    char first, second;

    bool valid() const noexcept { return is_letter(first) && is_letter(second) && first != second; }
    bool has(char label) const noexcept { return first == label || second == label; }
};

/// Reads the product of two matrices; empty if the text is anything else, right or wrong.
std::optional<row_modes> read(std::string_view text) noexcept {
    label_pair a, b, d;
    if (text.size() == 8 &&
        ((text[2] == '=' && text[5] == '*') || (text[2] == '-' && text[5] == '-'))) {
        d = {text[0], text[1]};
        a = {text[3], text[4]};
        b = {text[6], text[7]};
    } else if (text.size() == 9 && text[2] == ',' && text[5] == '-' && text[6] == '>') {
        a = {text[0], text[1]};
        b = {text[3], text[4]};
        d = {text[7], text[8]};
    } else {
        return std::nullopt;
    }
    if (!a.valid() || !b.valid() || !d.valid())
        return std::nullopt;
    const bool m_is_first = d.has(a.first);
    const char m = m_is_first ? a.first : a.second, k = m_is_first ? a.second : a.first;
    const bool k_is_first = b.first == k;
    const char n = k_is_first ? b.second : b.first;
    if (!b.has(k) || !d.has(m) || !d.has(n) || m == n)
        return std::nullopt;
    return row_modes{m_is_first ? 0 : 1, k_is_first ? 0 : 1, d.first == m ? 0 : 1};
}

/// Whether nothing in the options or the context asks for another way than the library's own.
bool is_plain(const contract_options &options, const context &ctx) noexcept {
    const settings &all = ctx.settings();
    return options.algorithm == algorithm::automatic && options.tuning == tuning::estimate &&
           !options.workspace_limit && !options.reproducible.value_or(all.reproducible) &&
           options.bf16_sums == bf16_sums::automatic && !options.f64_sums && !options.conj_output &&
           options.path.empty() && options.control == nullptr && options.epilogue == nullptr &&
           options.record == nullptr && all.wisdom.empty() &&
           !base::is_logged(all, base::log_level::debug);
}

/// The matrix whose rows are along `row_mode`.
template <class T>
matrix_view<T> view_of(T *data, const matrix_modes &modes, int row_mode) noexcept {
    const int column_mode = 1 - row_mode;
    return {data, modes.extent[row_mode], modes.extent[column_mode], modes.stride[row_mode],
            modes.stride[column_mode]};
}

/// Whether the elements along one of the modes are adjacent: packing wants no more.
template <class T> bool has_rows(const matrix_view<T> &x) noexcept {
    return x.row_stride == 1 || x.column_stride == 1;
}

/// Whether the product takes the form that needs no plan.
template <class T> bool is_small(const matrix_view<const T> &a, const matrix_view<const T> &b,
                                 const matrix_view<T> &d) noexcept {
    return is_small_product(a.rows, b.columns, a.columns) && has_rows(a) && has_rows(b) &&
           has_rows(d);
}

template <class T> bool multiply(const one_shot &call, const row_modes &rows, const context &ctx) {
    const argument &first = call.tensors[0], &second = call.tensors[1];
    const auto a = view_of(static_cast<const T *>(first.data()), first.as_matrix(), rows.a),
               b = view_of(static_cast<const T *>(second.data()), second.as_matrix(), rows.b);
    const auto d = view_of(static_cast<T *>(call.d.data()), call.d.as_matrix(), rows.d);
    if (!is_small<T>(a, b, d))
        return false;
    const contract_options &from = call.options;
    return gemm_impl::multiply_if_small<T>(a, b, d,
                                           {.alpha = from.alpha,
                                            .beta = from.beta.value_or(0.0),
                                            .conj_a = first.is_conjugated(),
                                            .conj_b = second.is_conjugated(),
                                            .threads = from.threads,
                                            .backend = from.backend},
                                           ctx);
}

/// Whether the strides are positive and not so large that positions might overflow.
template <class T> bool is_near(const matrix_view<T> &x) noexcept {
    return std::min(x.row_stride, x.column_stride) > 0 &&
           std::max(x.row_stride, x.column_stride) <= INT32_MAX;
}

/// Whether a plan can be made of these matrices, and is the small form. Data may be null.
template <class T> bool suits(const small_plan &one) noexcept {
    const auto a = view_of(static_cast<const T *>(nullptr), one.a, one.rows.a),
               b = view_of(static_cast<const T *>(nullptr), one.b, one.rows.b);
    const auto d = view_of(static_cast<T *>(nullptr), one.d, one.rows.d);
    const bool agree = a.rows == d.rows && b.columns == d.columns && a.columns == b.rows;
    const bool lie_apart =
        d.row_stride == 1 ? d.column_stride >= d.rows : d.row_stride >= d.columns;
    return agree && is_small<T>(a, b, d) && is_near(a) && is_near(b) && is_near(d) && lie_apart;
}

} // namespace

bool multiply_if_small_matrices(const one_shot &call, const context &ctx) {
    if (call.text.spec != nullptr || call.tensors.size() != 2 || call.last != last_tensor::input ||
        !is_plain(call.options, ctx))
        return false;
    const std::optional<row_modes> rows = read(call.text.expression);
    if (!rows)
        return false;
    const data_type type = call.d.type();
    for (const argument &one : call.tensors)
        if (one.type() != type || one.order() != 2)
            return false;
    if (call.d.order() != 2)
        return false;
    switch (type) {
#define TENFOLD_CALL(T, name)                                                                      \
    case data_type::name:                                                                          \
        return multiply<T>(call, *rows, ctx);
        TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_CALL)
#undef TENFOLD_CALL
    default:
        return false;
    }
}

bool small_plan::multiply(scalar alpha, const void *a_data, const void *b_data, scalar beta,
                          void *d_data) const noexcept {
    switch (type) {
#define TENFOLD_CALL(T, name)                                                                      \
    case data_type::name:                                                                          \
        return gemm_impl::multiply_if_small<T>(view_of(static_cast<const T *>(a_data), a, rows.a), \
                                               view_of(static_cast<const T *>(b_data), b, rows.b), \
                                               view_of(static_cast<T *>(d_data), d, rows.d),       \
                                               {.alpha = alpha,                                    \
                                                .beta = beta,                                      \
                                                .conj_a = conj_a,                                  \
                                                .conj_b = conj_b,                                  \
                                                .threads = options.threads},                       \
                                               base::context_of(options));
        TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_CALL)
#undef TENFOLD_CALL
    default:
        return false;
    }
}

std::unique_ptr<const plan_state> small_plan::whole() const {
    const auto shape_of = [](const matrix_modes &x) {
        return layout({x.extent[0], x.extent[1]}, {x.stride[0], x.stride[1]});
    };
    const auto given = [&](const matrix_modes &x, bool conjugated) {
        input plain(type, nullptr, shape_of(x));
        return conjugated ? conj(std::move(plain)) : plain;
    };
    const output to(type, nullptr, shape_of(d));
    return make_state(parse(expression), std::array{given(a, conj_a), given(b, conj_b)}, to, to,
                      options);
}

std::optional<small_plan> make_small_plan(std::string_view expression, const input &a,
                                          const input &b, const output &d,
                                          const contract_options &options) {
    const data_type type = d.type();
    if (a.type() != type || b.type() != type || a.shape().order() != 2 || b.shape().order() != 2 ||
        d.shape().order() != 2)
        return std::nullopt;
    const context &ctx = base::context_of(options);
    if (!is_plain(options, ctx) || options.alpha != 1.0 || options.beta || options.threads < 0 ||
        options.threads > base::most_threads ||
        options.backend.value_or(ctx.settings().backend) != backend::native)
        return std::nullopt;
    const std::optional<row_modes> rows = read(expression);
    if (!rows)
        return std::nullopt;
    small_plan one{std::string(expression),
                   *rows,
                   type,
                   argument(a).as_matrix(),
                   argument(b).as_matrix(),
                   output_argument(d).as_matrix(),
                   a.conjugated(),
                   b.conjugated(),
                   options};
    switch (type) {
#define TENFOLD_CALL(T, name)                                                                      \
    case data_type::name:                                                                          \
        return suits<T>(one) ? std::optional(std::move(one)) : std::nullopt;
        TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_CALL)
#undef TENFOLD_CALL
    default:
        return std::nullopt;
    }
}

} // namespace tenfold::contract_impl
