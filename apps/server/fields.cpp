#include "apps/server/fields.hpp"

#include <cmath>

#include <tenfold/einsum.hpp>

namespace tenfold::server {
namespace {

using nlohmann::json;

/// JSON's integers, and no floating-point numbers.
std::optional<std::int64_t> integer_of(const json &value) {
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX)
        return std::nullopt;
    if (!value.is_number_integer())
        return std::nullopt;
    return value.get<std::int64_t>();
}

constexpr std::size_t most_operands = 64;

} // namespace

fields::fields(const json &object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object())
        throw wrong_request((where_.empty() ? "the body" : where_) + " is not a JSON object");
}

void fields::reject(const std::string &name, const std::string &expected) const {
    throw refusal(400, std::string(tenfold::name(errc::invalid_argument)),
                  where_ + name + ": expected " + expected, {{"field", where_ + name}});
}

const json *fields::find(const std::string &name) {
    known_.insert(name);
    const auto found = object_.find(name);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
}

const json &fields::get(const std::string &name) {
    const json *found = find(name);
    if (found == nullptr)
        throw refusal(400, std::string(tenfold::name(errc::invalid_argument)),
                      "the field " + where_ + name + " is missing", {{"field", where_ + name}});
    return *found;
}

std::string fields::text(const std::string &name) {
    const json &value = get(name);
    if (!value.is_string())
        reject(name, "a string");
    return value.get<std::string>();
}

std::optional<std::string> fields::find_text(const std::string &name) {
    if (find(name) == nullptr)
        return std::nullopt;
    return text(name);
}

std::optional<double> fields::find_number(const std::string &name) {
    const json *value = find(name);
    if (value == nullptr)
        return std::nullopt;
    if (!value->is_number())
        reject(name, "a number");
    return value->get<double>();
}

std::optional<std::int64_t> fields::find_integer(const std::string &name, std::int64_t least) {
    const json *value = find(name);
    if (value == nullptr)
        return std::nullopt;
    const auto number = integer_of(*value);
    if (!number || *number < least)
        reject(name, "an integer of at least " + std::to_string(least));
    return number;
}

std::optional<scalar> fields::find_scalar(const std::string &name) {
    const json *value = find(name);
    if (value == nullptr)
        return std::nullopt;
    if (value->is_number())
        return value->get<double>();
    if (!value->is_array() || value->size() != 2 || !value->at(0).is_number() ||
        !value->at(1).is_number())
        reject(name, "a number, or [re, im]");
    return scalar_of(*value);
}

std::optional<bool> fields::find_flag(const std::string &name) {
    const json *value = find(name);
    if (value == nullptr)
        return std::nullopt;
    if (!value->is_boolean())
        reject(name, "true or false");
    return value->get<bool>();
}

std::vector<index_t> fields::extents(const std::string &name) {
    const json &value = get(name);
    if (!value.is_array() || value.size() > static_cast<std::size_t>(most_modes))
        reject(name, "a list of at most " + std::to_string(most_modes) + " extents");
    std::vector<index_t> result;
    for (const json &one : value) {
        const auto number = integer_of(one);
        if (!number || *number < 0)
            reject(name, "integers of at least 0");
        result.push_back(*number);
    }
    return result;
}

std::vector<double> fields::numbers(const std::string &name) {
    const json &value = get(name);
    if (!value.is_array())
        reject(name, "a list of numbers");
    std::vector<double> result;
    for (const json &one : value) {
        if (!one.is_number())
            reject(name, "a list of numbers");
        result.push_back(one.get<double>());
    }
    return result;
}

void fields::finish() const {
    for (const auto &[name, value] : object_.items())
        if (known_.count(name) == 0)
            throw refusal(400, std::string(tenfold::name(errc::invalid_argument)),
                          "there is no field '" + where_ + name + "' here",
                          {{"field", where_ + name}});
}

data_type parse_element_type(const std::string &text) {
    const auto type = parse_data_type(text);
    if (!type || !is_arithmetic(*type))
        throw wrong_request("type '" + text + "': expected f32, f64, c32 or c64");
    return *type;
}

std::vector<operand> parse_operands(const json &list) {
    if (!list.is_array() || list.empty() || list.size() > most_operands)
        throw wrong_request("inputs: expected a list of 1 to " + std::to_string(most_operands) +
                            " tensors");
    std::vector<operand> result;
    for (const json &one : list) {
        if (one.is_string()) {
            result.push_back({one.get<std::string>()});
            continue;
        }
        fields read(one, "inputs.");
        operand now{read.text("name")};
        if (const auto generation = read.find_integer("generation", 1))
            now.generation = static_cast<std::uint64_t>(*generation);
        now.conj = read.find_flag("conj").value_or(false);
        read.finish();
        result.push_back(std::move(now));
    }
    return result;
}

json scalar_json(scalar value) { return json::array({value.real(), value.imag()}); }

scalar scalar_of(const json &value) {
    return {value.at(0).get<double>(), value.at(1).get<double>()};
}

json number_json(double value) {
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value > 0 ? "inf" : "-inf";
    return value;
}

} // namespace tenfold::server
