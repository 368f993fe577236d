#include "apps/common/conversions.hpp"

#include <algorithm>
#include <utility>

#include "apps/common/program.hpp"
#include "apps/common/values.hpp"
#include "base/integer_types.hpp"
#include "transpose/kernels/registry.hpp"

namespace tenfold::apps_impl {
namespace {

/// The types that "f64,f32" names; empty if a name is none.
std::vector<data_type> listed_types(const std::string &text) {
    std::vector<data_type> types;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const auto one = base::parse_any_type(text.substr(begin, end - begin));
        if (!one)
            return {};
        types.push_back(*one);
        begin = end + 1;
    }
    return types;
}

bool holds_all(data_type sums, const std::vector<data_type> &types) {
    return std::all_of(types.begin(), types.end(),
                       [&](data_type one) { return converts_exactly(one, sums); });
}

/// The narrowest type of sums that holds the numbers of all inputs, if there is one.
std::optional<data_type> narrowest_sums(const std::vector<data_type> &inputs) {
    for (const data_type sums : all_data_types)
        if (is_arithmetic(sums) && holds_all(sums, inputs))
            return sums;
    return holds_all(data_type::i32, inputs) ? std::optional(data_type::i32) : std::nullopt;
}

} // namespace

std::string name_of(const element_types &types) {
    std::string text(name(types.a));
    if (types.a != types.b)
        text += "-" + std::string(name(types.b));
    return text;
}

element_types parse_conversion(const std::string &option, const std::string &text) {
    for (const data_type a : all_data_types)
        for (const data_type b : all_data_types)
            if (const element_types both{a, b};
                a != b && transpose_impl::converts(a, b) && name_of(both) == text)
                return both;
    throw usage_error(option + " '" + text +
                      "': expected two types such as f32-f64; complex numbers do not become real "
                      "ones");
}

std::optional<element_types> two_types(const std::string &text) {
    const std::size_t dash = text.find('-');
    if (dash == std::string::npos)
        return std::nullopt;
    const auto a = parse_data_type(text.substr(0, dash));
    const auto b = parse_data_type(text.substr(dash + 1));
    return a && b ? std::optional(element_types{*a, *b}) : std::nullopt;
}

contraction_types parse_contraction_types(const std::string &option, const std::string &text) {
    if (text.find_first_of("-,") == std::string::npos) {
        const data_type inputs = parse_input_type(option, text);
        return {{inputs}, output_type_of(inputs)};
    }
    const std::size_t dash = text.find('-');
    std::vector<data_type> inputs = listed_types(text.substr(0, dash));
    const auto output = dash == std::string::npos ? narrowest_sums(inputs)
                                                  : base::parse_any_type(text.substr(dash + 1));
    if (inputs.empty() || !output)
        throw usage_error(option + " '" + text +
                          "': expected a type, a type for each input such as f64,f32, or these and "
                          "the output's such as bf16-bf16 and f32,f16-f16; reals and integers do "
                          "not mix");
    return {std::move(inputs), *output};
}

void check_sums(const std::string &option, const contraction_types &types, data_type sums) {
    if (!holds_all(sums, types.inputs))
        throw usage_error(option + " " + types.names_of_inputs() + "-" +
                          std::string(name(types.output)) +
                          ": expected an output whose sums hold the inputs; these are in " +
                          std::string(name(sums)));
}

std::string contraction_types::names_of_inputs() const {
    std::string text;
    for (const data_type one : inputs)
        text += (text.empty() ? "" : ",") + std::string(name(one));
    return text;
}

} // namespace tenfold::apps_impl
