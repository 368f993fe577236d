#include "apps/server/element_functions.hpp"
#include "apps/server/planning.hpp"

namespace tenfold::server {
namespace {

using nlohmann::json;

/// Tensors that a function takes element by element are alike.
void check_alike(const std::vector<tensor_pointer> &inputs, const std::string &user) {
    const tensor_record &first = *inputs.front();
    for (std::size_t i = 1; i < inputs.size(); ++i) {
        const tensor_record &other = *inputs[i];
        const std::string a = first.name_for(user), b = other.name_for(user);
        const std::string both = "'" + a + "' and '" + b + "' have ";
        if (other.type != first.type)
            throw error(errc::type_mismatch, both + "elements of different types",
                        {.first = {.name = a, .type = first.type},
                         .second = {.name = b, .type = other.type}});
        if (other.extents() != first.extents())
            throw error(errc::extent_mismatch, both + "different extents",
                        {.first = {.name = a}, .second = {.name = b}});
    }
}

void check_count(const std::string &function, std::size_t expected,
                 const std::vector<tensor_pointer> &inputs) {
    if (inputs.size() != expected)
        throw wrong_request(function + " takes " + std::to_string(expected) + " input" +
                            (expected == 1 ? "" : "s") + ", not " + std::to_string(inputs.size()));
}

/// Functions of elements take their inputs as they are.
std::vector<operand> read_plain_operands(const json &list) {
    std::vector<operand> result = parse_operands(list);
    for (const operand &one : result)
        if (one.conj)
            throw wrong_request("inputs: only contractions conjugate '" + one.name +
                                "'; use the function conj");
    return result;
}

/// What a function needs beside its inputs, as ranks are told it.
json read_parameters(fields &read, element_function function) {
    json result = json::object();
    if (function == element_function::scale)
        result["factor"] = scalar_json(read.find_scalar("factor").value_or(1.0));
    if (function == element_function::clip) {
        const auto low = read.find_number("low");
        const auto high = read.find_number("high");
        if (!low || !high || !(*low <= *high))
            throw wrong_request("clip needs low and high, low <= high");
        result["low"] = *low;
        result["high"] = *high;
    }
    if (function == element_function::denominators) {
        const json &lists = read.get("energies");
        if (!lists.is_array())
            throw wrong_request("energies: expected a list for each mode");
        result["energies"] = json::array();
        for (const json &list : lists) {
            const json holder = {{"energies", list}};
            result["energies"].push_back(fields(holder).numbers("energies"));
        }
        result["shift"] = read.find_number("shift").value_or(0);
    }
    return result;
}

void check_energies(const json &parameters, const tensor_record &input, const std::string &user) {
    const json &lists = parameters.at("energies");
    const std::string name = input.name_for(user);
    if (lists.size() != input.extents().size())
        throw wrong_request("energies: '" + name + "' has " +
                            std::to_string(input.extents().size()) + " modes, not " +
                            std::to_string(lists.size()));
    for (std::size_t mode = 0; mode < lists.size(); ++mode)
        if (static_cast<index_t>(lists[mode].size()) != input.extents()[mode])
            throw error(errc::extent_mismatch,
                        "energies of mode " + std::to_string(mode) + ": there are " +
                            std::to_string(lists[mode].size()) + ", the extent is " +
                            std::to_string(input.extents()[mode]),
                        {.first = {.name = name,
                                   .mode = static_cast<int>(mode),
                                   .extent = input.extents()[mode]},
                         .second = {.extent = static_cast<index_t>(lists[mode].size())}});
}

} // namespace

element_request element_request::parse_map(const json &request) {
    fields read(request);
    element_request result;
    result.function = read.text("function");
    result.inputs = read_plain_operands(read.get("inputs"));
    result.output = read.text("output");
    const auto known = parse_element_function(result.function);
    if (!known)
        throw wrong_request("there is no function '" + result.function + "': expected " +
                            element_function_names());
    result.parameters = read_parameters(read, *known);
    read.finish();
    return result;
}

element_request element_request::parse_reduce(const json &request) {
    fields read(request);
    element_request result;
    result.function = read.text("function");
    result.inputs = read_plain_operands(read.get("inputs"));
    read.finish();
    if (!parse_reduction(result.function))
        throw wrong_request("there is no reduction '" + result.function + "': expected " +
                            reduction_names());
    return result;
}

planned_job plan_map(const planning_scene &scene, const element_request &request,
                     const std::vector<tensor_pointer> &inputs) {
    const element_function function = *parse_element_function(request.function);
    check_count(request.function, inputs_of(function), inputs);
    check_alike(inputs, scene.user);
    const tensor_record &first = *inputs.front();
    const std::string name = first.name_for(scene.user);
    if (function == element_function::clip && is_complex(first.type))
        throw error(errc::type_mismatch, "clip takes real tensors",
                    {.first = {.name = name, .type = first.type}});
    if (function == element_function::denominators)
        check_energies(request.parameters, first, scene.user);
    if (function == element_function::scale)
        check_number(scalar_of(request.parameters.at("factor")), "factor", name, first.type);
    const data_type type = gives_real(function) ? real_type_of(first.type) : first.type;
    planned_job result;
    result.kind = "map";
    result.output = new_record(scene, request.output, type, first.extents());
    result.memory.output = result.output->bytes;
    result.work = {{"do", "map"},
                   {"function", request.function},
                   {"parameters", request.parameters},
                   {"input_type", tenfold::name(first.type)}};
    return result;
}

planned_job plan_reduce(const planning_scene &scene, const element_request &request,
                        const std::vector<tensor_pointer> &inputs) {
    const reduction function = *parse_reduction(request.function);
    check_count(request.function, function == reduction::dot ? 2 : 1, inputs);
    check_alike(inputs, scene.user);
    const tensor_record &first = *inputs.front();
    const std::string name = first.name_for(scene.user);
    if (function == reduction::min || function == reduction::max) {
        if (is_complex(first.type))
            throw error(errc::type_mismatch, request.function + " takes real tensors",
                        {.first = {.name = name, .type = first.type}});
        if (first.total_bytes() == 0)
            throw wrong_request("'" + name + "' has no elements");
    }
    planned_job result;
    result.kind = "reduce";
    result.work = {{"do", "reduce"},
                   {"function", request.function},
                   {"input_type", tenfold::name(first.type)}};
    return result;
}

} // namespace tenfold::server
