#include "contract/front/small_matrices.hpp"

#include <optional>
#include <string_view>

#include <tenfold/gemm.hpp>

#include "base/log.hpp"
#include "contract/choose/small_product.hpp"
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

/// Which mode of each matrix is that of its rows: 0 or 1.
struct row_modes {
    int a, b, d;
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
template <class T, class Argument>
matrix_view<T> view_of(const Argument &one, int row_mode) noexcept {
    const matrix_modes modes = one.as_matrix();
    const int column_mode = 1 - row_mode;
    return {static_cast<T *>(one.data()), modes.extent[row_mode], modes.extent[column_mode],
            modes.stride[row_mode], modes.stride[column_mode]};
}

/// Whether the elements along one of the modes are adjacent: packing wants no more.
template <class T> bool has_rows(const matrix_view<T> &x) noexcept {
    return x.row_stride == 1 || x.column_stride == 1;
}

template <class T> bool multiply(const one_shot &call, const row_modes &rows, const context &ctx) {
    const argument &first = call.tensors[0], &second = call.tensors[1];
    const auto a = view_of<const T>(first, rows.a), b = view_of<const T>(second, rows.b);
    const auto d = view_of<T>(call.d, rows.d);
    if (!is_small_product(a.rows, b.columns, a.columns) || !has_rows(a) || !has_rows(b) ||
        !has_rows(d))
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

} // namespace tenfold::contract_impl
