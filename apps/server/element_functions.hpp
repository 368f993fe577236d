// The functions of /v1/map and the reductions of /v1/reduce, by name.
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

namespace tenfold::server {

enum class element_function {
    abs,
    add,
    clip,
    conj,
    denominators, ///< x / (shift + sum over modes of energies[mode][position])
    divide,
    exp,
    imag,
    log,
    multiply,
    real,
    reciprocal,
    scale,
    sqrt,
    subtract
};
inline constexpr std::string_view all_element_functions[] = {
    "abs", "add",      "clip", "conj",       "denominators", "divide", "exp",     "imag",
    "log", "multiply", "real", "reciprocal", "scale",        "sqrt",   "subtract"};

enum class reduction { dot, max, min, norm, norm1, norm_max, sum };
inline constexpr std::string_view all_reductions[] = {"dot",   "max",      "min", "norm",
                                                      "norm1", "norm_max", "sum"};

namespace names_impl {
template <class Enum, std::size_t n>
std::optional<Enum> find(const std::string_view (&names)[n], std::string_view text) noexcept {
    for (std::size_t i = 0; i < n; ++i)
        if (names[i] == text)
            return static_cast<Enum>(i);
    return std::nullopt;
}
template <std::size_t n> std::string list(const std::string_view (&names)[n]) {
    std::string text;
    for (std::size_t i = 0; i < n; ++i)
        text += (i == 0 ? "" : i + 1 == n ? " or " : ", ") + std::string(names[i]);
    return text;
}
} // namespace names_impl

inline std::optional<element_function> parse_element_function(std::string_view text) noexcept {
    return names_impl::find<element_function>(all_element_functions, text);
}
inline std::string element_function_names() { return names_impl::list(all_element_functions); }
inline std::optional<reduction> parse_reduction(std::string_view text) noexcept {
    return names_impl::find<reduction>(all_reductions, text);
}
inline std::string reduction_names() { return names_impl::list(all_reductions); }

constexpr std::size_t inputs_of(element_function function) noexcept {
    switch (function) {
    case element_function::add:
    case element_function::divide:
    case element_function::multiply:
    case element_function::subtract:
        return 2;
    default:
        return 1;
    }
}
/// Whether the result of complex numbers is real.
constexpr bool gives_real(element_function function) noexcept {
    return function == element_function::abs || function == element_function::real ||
           function == element_function::imag;
}

} // namespace tenfold::server
