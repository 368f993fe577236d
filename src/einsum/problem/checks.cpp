#include "einsum/problem/checks.hpp"

#include <algorithm>
#include <vector>

#include "base/option_checks.hpp"
#include "einsum/parser/path_steps.hpp"
#include "einsum/parser/tokens.hpp"

namespace tenfold::einsum_impl {

std::string quoted(const contraction_spec &spec, label_t label) {
    return "label '" + spec.label_names[static_cast<std::size_t>(label)] + "'";
}

std::string text_of(const contraction_spec &spec) {
    return spec.text.empty() ? spec.to_string() : spec.text;
}

void check_spec(const contraction_spec &spec) {
    const auto check = [&](const std::vector<label_t> &labels) {
        for (const label_t label : labels)
            if (label < 0 || static_cast<std::size_t>(label) >= spec.label_names.size())
                throw error(errc::invalid_argument,
                            "label number " + std::to_string(label) + " has no name: there are " +
                                std::to_string(spec.label_names.size()) + " names");
    };
    for (const auto &labels : spec.inputs)
        check(labels);
    check(spec.output);
    if (!spec.path.empty())
        static_cast<void>(numbered(spec.path, spec.inputs.size()));
}

std::string name_of_input(const contraction_spec &spec, std::size_t input) {
    if (input < spec.operand_names.size())
        return quoted(spec.operand_names[input]);
    return "input " + std::to_string(input + 1);
}

std::vector<shared_name> shared_names(const contraction_spec &spec) {
    std::vector<shared_name> found;
    const std::vector<std::string> &names = spec.operand_names;
    if (names.size() != spec.inputs.size() + 1)
        return found;
    for (std::size_t second = 1; second < names.size(); ++second)
        for (std::size_t first = 0; first < second; ++first)
            if (names[first] == names[second] && !names[first].empty()) {
                found.push_back({names[first], first, second});
                break;
            }
    return found;
}

void refuse_two_tensors(const std::string &expression, std::size_t inputs,
                        const shared_name &shared, const std::string &difference) {
    const auto operand = [&](std::size_t number) {
        return number == inputs ? "D"
               : inputs > 2     ? "input " + std::to_string(number + 1)
                                : std::string(1, number == 0 ? 'A' : 'B');
    };
    const std::string first = operand(shared.first), second = operand(shared.second);
    throw error(errc::invalid_argument,
                "'" + expression + "' calls both " + first + " and " + second + " '" + shared.name +
                    "', but they are two tensors: " + difference +
                    "; give them two names, or pass one tensor twice",
                {.first = {.name = first}, .second = {.name = second}});
}

void check_shared_names(const contraction_spec &spec, std::span<const input> inputs,
                        const output &d) {
    if (inputs.size() != spec.inputs.size())
        return; // which is refused elsewhere
    const auto type_of = [&](std::size_t number) {
        return number < inputs.size() ? inputs[number].type() : d.type();
    };
    const auto shape_of = [&](std::size_t number) -> const layout & {
        return number < inputs.size() ? inputs[number].shape() : d.shape();
    };
    for (const shared_name &shared : shared_names(spec)) {
        const data_type first = type_of(shared.first), second = type_of(shared.second);
        if (first != second)
            refuse_two_tensors(text_of(spec), inputs.size(), shared,
                               "one is " + std::string(name(first)) + ", the other " +
                                   std::string(name(second)));
        const layout &one = shape_of(shared.first), &other = shape_of(shared.second);
        if (!(one == other))
            refuse_two_tensors(text_of(spec), inputs.size(), shared,
                               "one has " + one.describe() + ", the other " + other.describe());
    }
}

std::string plain_name(const std::string &tensor) {
    const bool quotes = tensor.size() >= 2 && tensor.front() == '\'' && tensor.back() == '\'';
    return quotes ? tensor.substr(1, tensor.size() - 2) : tensor;
}

void refuse_modes(const std::string &who, std::size_t modes) {
    throw error(errc::unsupported, who + std::to_string(modes) + " modes; at most " +
                                       std::to_string(max_modes) + " are supported");
}

void refuse_output_label(const contraction_spec &spec, label_t label) {
    throw error(errc::unknown_label, quoted(spec, label) + " stands in the output but in no input",
                output_label(spec, label));
}

void check_order(const std::string &tensor, const std::vector<label_t> &labels,
                 const layout &shape) {
    if (labels.size() > max_modes)
        refuse_modes(tensor + " has ", labels.size());
    if (labels.size() != static_cast<std::size_t>(shape.order()))
        throw error(errc::order_mismatch,
                    tensor + " has " + std::to_string(shape.order()) +
                        " modes, but the expression gives it " + std::to_string(labels.size()) +
                        " labels",
                    {.first = {.name = plain_name(tensor), .order = shape.order()},
                     .second = {.order = static_cast<index_t>(labels.size())}});
}

error_details output_label(const contraction_spec &spec, label_t label) {
    const auto first = std::find(spec.output.begin(), spec.output.end(), label);
    return {.label = spec.label_names[static_cast<std::size_t>(label)],
            .first = {.name = "D", .mode = static_cast<int>(first - spec.output.begin())}};
}

void check_type(const std::string &tensor, data_type type) {
    if (!is_integer(type))
        base::check_enumerator(type, "the element type of " + tensor);
}

data_type type_of_sums(const contraction_spec &spec, data_type a, data_type d,
                       bool f64_sums) noexcept {
    const auto is_kept = [&](label_t label) {
        return std::find(spec.output.begin(), spec.output.end(), label) != spec.output.end();
    };
    const bool only_moves = spec.inputs.size() == 1 && !is_integer(d) &&
                            std::all_of(spec.inputs[0].begin(), spec.inputs[0].end(), is_kept);
    return type_of_sums(d, f64_sums || (only_moves && real_type_of(a) == data_type::f64));
}

namespace {

/// "f64 or c64": the types of D whose sums hold every number of `type`.
std::string holders_of(data_type type) {
    if (is_integer(type))
        return std::string(name(output_type_of(type)));
    std::vector<std::string_view> names;
    for (const data_type one : all_data_types)
        if (converts_exactly(type, output_type_of(one)))
            names.push_back(name(one));
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + std::string(names[i]);
    return text;
}

} // namespace

void check_conversion(const std::string &tensor, data_type type, data_type d, data_type computed) {
    if (!converts_exactly(type, computed))
        throw error(errc::type_mismatch,
                    tensor + " is " + std::string(name(type)) + " and D is " +
                        std::string(name(d)) + "; D must be " + holders_of(type),
                    {.first = {.name = plain_name(tensor), .type = type},
                     .second = {.name = "D", .type = d}});
}

void label_extent::set(const contraction_spec &spec, label_t label, const std::string &tensor,
                       int mode, index_t extent) {
    if (!extent_) {
        extent_ = extent;
        tensor_ = tensor;
        mode_ = mode;
    } else if (*extent_ != extent) {
        throw error(errc::extent_mismatch,
                    quoted(spec, label) + ": " + tensor_ + " mode " + std::to_string(mode_) +
                        " has extent " + std::to_string(*extent_) + ", " + tensor + " mode " +
                        std::to_string(mode) + " has extent " + std::to_string(extent),
                    {.label = spec.label_names[static_cast<std::size_t>(label)],
                     .first = {.name = plain_name(tensor_), .mode = mode_, .extent = *extent_},
                     .second = {.name = plain_name(tensor), .mode = mode, .extent = extent}});
    }
}

} // namespace tenfold::einsum_impl
