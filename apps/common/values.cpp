#include "apps/common/values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "apps/common/program.hpp"
#include "base/integer_types.hpp"
#include "base/option_checks.hpp"
#include "base/text.hpp"

namespace tenfold::apps_impl {
namespace {

[[noreturn]] void reject(const std::string &option, const std::string &text,
                         const std::string &expected) {
    throw usage_error(option + " '" + text + "': expected " + expected);
}

/// Reads a number at the start of `text` and removes it; the number may have a sign.
std::optional<double> take_number(std::string_view &text) {
    std::string_view digits = text;
    if (digits.starts_with('+'))
        digits.remove_prefix(1);
    double value = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (status != std::errc() || !std::isfinite(value))
        return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

/// Reads "i", "+i", "-i", or the same with j: an imaginary unit without a number.
std::optional<double> take_unit(std::string_view &text) {
    std::string_view rest = text;
    double value = 1;
    if (rest.starts_with('+') || rest.starts_with('-')) {
        value = rest.front() == '-' ? -1 : 1;
        rest.remove_prefix(1);
    }
    if (rest != "i" && rest != "j")
        return std::nullopt;
    text = {};
    return value;
}

std::optional<scalar> scalar_in(std::string_view text) {
    if (text.starts_with('(') && text.ends_with(')')) { // as C++ prints complex numbers
        text = text.substr(1, text.size() - 2);
        const auto real = take_number(text);
        if (!real || !text.starts_with(','))
            return std::nullopt;
        text.remove_prefix(1);
        const auto imaginary = take_number(text);
        if (!imaginary || !text.empty())
            return std::nullopt;
        return scalar(*real, *imaginary);
    }
    if (const auto unit = take_unit(text))
        return scalar(0, *unit);
    const auto first = take_number(text);
    if (!first)
        return std::nullopt;
    if (text.empty())
        return scalar(*first);
    if (text == "i" || text == "j")
        return scalar(0, *first);
    if (text.front() != '+' && text.front() != '-')
        return std::nullopt;
    if (const auto unit = take_unit(text))
        return scalar(*first, *unit);
    const auto second = take_number(text);
    if (!second || (text != "i" && text != "j"))
        return std::nullopt;
    return scalar(*first, *second);
}

std::optional<index_t> integer_in(std::string_view text) {
    index_t value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

std::vector<std::string> split_at_commas(const std::string &text) {
    std::vector<std::string> items;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        items.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return items;
}

} // namespace

scalar parse_scalar(const std::string &option, const std::string &text) {
    const auto value = scalar_in(text);
    if (!value)
        reject(option, text, "a number such as 0.5, or 1.5+0.5i where the type is complex");
    return *value;
}

int parse_count(const std::string &option, const std::string &text, int least) {
    const auto value = integer_in(text);
    if (!value || *value < least || *value > INT32_MAX)
        reject(option, text, "an integer of at least " + std::to_string(least));
    return static_cast<int>(*value);
}

int parse_threads(const std::string &option, const std::string &text) {
    const auto value = integer_in(text);
    if (!value || *value < 1 || *value > base::most_threads)
        reject(option, text, "an integer from 1 to " + std::to_string(base::most_threads));
    return static_cast<int>(*value);
}

byte_count parse_size(const std::string &option, const std::string &text) {
    const auto value = base::parse_byte_count(text);
    if (!value)
        reject(option, text, "an integer with an optional KiB, MiB or GiB");
    return *value;
}

data_type parse_type(const std::string &option, const std::string &text) {
    const auto value = parse_data_type(text);
    if (!value || !is_arithmetic(*value))
        reject(option, text, base::arithmetic_type_names("or"));
    return *value;
}

data_type parse_input_type(const std::string &option, const std::string &text) {
    const auto value = base::parse_any_type(text);
    if (!value)
        reject(option, text, base::any_type_names("or"));
    return *value;
}

algorithm parse_algorithm_name(const std::string &option, const std::string &text) {
    const auto value = parse_algorithm(text);
    if (!value)
        reject(option, text, "auto, direct, fused, ttgt, gemm-loop, loops, reference or leaves");
    return *value;
}

backend parse_backend_name(const std::string &option, const std::string &text) {
    const auto value = parse_backend(text);
    if (!value)
        reject(option, text, "native or blis");
    return *value;
}

double parse_duration(const std::string &option, const std::string &text) {
    const scalar value = parse_scalar(option, text);
    if (value.imag() != 0 || !(value.real() > 0 && value.real() <= 600))
        throw usage_error(option + " '" + text + "': expected seconds, more than 0, at most 600");
    return value.real();
}

tuning parse_tuning_level(const std::string &option, const std::string &text) {
    const auto value = parse_tuning(text);
    if (!value)
        reject(option, text, "estimate, measure or patient");
    return *value;
}

labelled_extents parse_extents(const std::string &option, const std::string &text) {
    labelled_extents extents;
    std::string compact = text; // ignores white space, as in expressions
    std::erase(compact, ' ');
    for (const std::string &item : split_at_commas(compact)) {
        const std::size_t equals = item.find('=');
        const auto value = equals == std::string::npos
                               ? std::nullopt
                               : integer_in(std::string_view(item).substr(equals + 1));
        if (equals == 0 || !value || *value < 0)
            reject(option, text,
                   "label=extent, separated by commas, such as a=48,b=36; '" + item +
                       "' is not one");
        const std::string label = item.substr(0, equals);
        for (const auto &[known, extent] : extents)
            if (known == label)
                throw usage_error(option + " '" + text + "': label '" + label + "' is given twice");
        extents.emplace_back(label, *value);
    }
    return extents;
}

std::vector<index_t> parse_integers(const std::string &what, const std::string &text) {
    std::vector<index_t> values;
    for (const std::string &item : split_at_commas(text)) {
        const auto value = integer_in(item);
        if (!value)
            reject(what, text, "integers separated by commas");
        values.push_back(*value);
    }
    return values;
}

} // namespace tenfold::apps_impl
