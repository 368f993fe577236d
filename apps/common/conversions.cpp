#include "apps/common/conversions.hpp"

#include "apps/common/program.hpp"
#include "apps/common/values.hpp"
#include "transpose/kernels/registry.hpp"

namespace tenfold::apps_impl {

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
    if (text.find('-') == std::string::npos) {
        const data_type inputs = parse_input_type(option, text);
        return {inputs, output_type_of(inputs)};
    }
    const auto both = two_types(text);
    if (!both || !converts_exactly(both->a, output_type_of(both->b)))
        throw usage_error(option + " '" + text +
                          "': expected a type, or two such as bf16-bf16 and f32-f16, the inputs' "
                          "and the output's, whose sums hold the inputs");
    return {both->a, both->b};
}

} // namespace tenfold::apps_impl
