#include "apps/server/planning_program.hpp"

#include <algorithm>

namespace tenfold::server {
namespace {

using nlohmann::json;

constexpr std::size_t longest_program = 64 << 10, longest_program_plan = 16 << 10;

bool is_tensor_of(const program_tensor &one, tensor_role role) {
    return one.role == role && !one.ranges.empty();
}

/// {"A": "name" or {"name", "generation"}, "s": 2.5}. An input that is not there is the tensor of
/// its name.
void read_inputs(const json *given, program_request &result) {
    const json none = json::object();
    fields read(given == nullptr ? none : *given, "inputs.");
    for (const program_tensor &one : result.equations.tensors()) {
        if (one.role != tensor_role::input)
            continue;
        if (one.ranges.empty()) {
            const auto value = read.find_number(one.name);
            if (!value)
                throw wrong_request("inputs: '" + one.name + "' is a scalar: expected its value");
            result.scalars[one.name] = *value;
            continue;
        }
        const json *named = read.find(one.name);
        const json list = json::array({named == nullptr ? json(one.name) : *named});
        result.names.push_back(one.name);
        result.inputs.push_back(parse_operands(list).front());
        if (result.inputs.back().conj)
            throw wrong_request("inputs: the elements of programs are real");
    }
    read.finish();
}

void read_outputs(const json *given, program_request &result) {
    const json none = json::object();
    fields read(given == nullptr ? none : *given, "outputs.");
    for (const program_tensor &one : result.equations.tensors())
        if (is_tensor_of(one, tensor_role::output))
            result.outputs[one.name] = read.find_text(one.name).value_or(one.name);
    read.finish();
    std::set<std::string> seen;
    for (const auto &[name, gets] : result.outputs) {
        if (!is_tensor_name(gets))
            throw wrong_request("outputs: '" + name + "' needs the name of a tensor of your own");
        if (!seen.insert(gets).second)
            throw wrong_request("outputs: two of them get the name '" + gets + "'");
    }
}

/// The sizes of ranges, from the inputs and from what the request says.
range_sizes sizes_of(const program_request &request, const std::vector<tensor_pointer> &inputs,
                     const std::string &user) {
    struct known {
        std::string name;
        int mode;
        index_t extent;
    };
    std::map<std::string, known> from;
    range_sizes sizes = request.sizes;
    for (const auto &[range, size] : sizes)
        from[range] = {"sizes", -1, size};
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const auto &all = request.equations.tensors();
        const auto described = std::find_if(all.begin(), all.end(), [&](const program_tensor &one) {
            return one.name == request.names[i];
        });
        const extents_t &extents = inputs[i]->extents();
        const std::string name = inputs[i]->name_for(user);
        const error_operand whole{.name = request.names[i],
                                  .order = static_cast<index_t>(described->ranges.size())};
        if (inputs[i]->type != data_type::f64)
            throw error(errc::type_mismatch,
                        "'" + name + "' has elements of type " +
                            std::string(tenfold::name(inputs[i]->type)) + ", programs of type f64",
                        {.first = {.name = name, .type = inputs[i]->type}});
        if (extents.size() != described->ranges.size())
            throw error(errc::order_mismatch,
                        "'" + name + "' has " + std::to_string(extents.size()) + " modes, '" +
                            request.names[i] + "' of the program " +
                            std::to_string(described->ranges.size()),
                        {.first = whole,
                         .second = {.name = name, .order = static_cast<index_t>(extents.size())}});
        for (std::size_t mode = 0; mode < extents.size(); ++mode) {
            const std::string &range = described->ranges[mode];
            const known here{request.names[i], static_cast<int>(mode), extents[mode]};
            const auto [place, is_new] = from.try_emplace(range, here);
            sizes.emplace(range, here.extent);
            if (!is_new && place->second.extent != here.extent)
                throw error(
                    errc::extent_mismatch,
                    "range '" + range + "': " + place->second.name +
                        (place->second.mode < 0 ? ""
                                                : " mode " + std::to_string(place->second.mode)) +
                        " has extent " + std::to_string(place->second.extent) + ", " + here.name +
                        " mode " + std::to_string(mode) + " has extent " +
                        std::to_string(here.extent),
                    {.label = range,
                     .first = {.name = place->second.name,
                               .mode = place->second.mode,
                               .extent = place->second.extent},
                     .second = {.name = here.name, .mode = here.mode, .extent = here.extent}});
        }
    }
    return sizes;
}

/// Bytes on each rank while it runs, beside the server's own tensors: what the plan says, which has
/// inputs and outputs where the program wants them, and messages that bring them there or back.
memory_demand demand_of(const program_plan &plan, const std::vector<tensor_pointer> &inputs,
                        const std::vector<tensor_pointer> &outputs, int ranks) {
    memory_demand memory{per_rank(static_cast<std::size_t>(ranks)),
                         per_rank(static_cast<std::size_t>(ranks), plan.summary().peak.value)};
    for (std::size_t rank = 0; rank < memory.output.size(); ++rank) {
        index_t largest = 0;
        for (const tensor_pointer &one : inputs)
            largest = std::max(largest, one->bytes[rank]);
        for (const tensor_pointer &one : outputs) {
            largest = std::max(largest, one->bytes[rank]);
            memory.output[rank] += one->bytes[rank];
        }
        memory.temporary[rank] += 2 * largest;
    }
    return memory;
}

} // namespace

program_request program_request::parse(const json &request) {
    fields read(request);
    const std::string text = read.text("program");
    if (text.size() > longest_program)
        throw wrong_request("program: it has more than " + std::to_string(longest_program) +
                            " bytes");
    program_request result{text, parse_program(text), {}, {}, {}, {}, {}};
    read_inputs(read.find("inputs"), result);
    read_outputs(read.find("outputs"), result);
    if (const json *given = read.find("sizes")) {
        fields sizes(*given, "sizes.");
        for (const std::string &range : result.equations.ranges())
            if (const auto size = sizes.find_integer(range, 1))
                result.sizes[range] = *size;
        sizes.finish();
    }
    read.finish();
    return result;
}

program_options options_of_program(const dist_options &here, bool with_copies) {
    program_options options;
    options.contraction = here;
    options.copies.any = with_copies;
    return options;
}

program_outline outline_program(const planning_scene &scene, const program_request &request,
                                const std::vector<tensor_pointer> &inputs) {
    const range_sizes sizes = sizes_of(request, inputs, scene.user);
    std::vector<tensor_pointer> outputs;
    for (const program_tensor &one : request.equations.tensors()) {
        if (!is_tensor_of(one, tensor_role::output))
            continue;
        extents_t extents;
        for (const std::string &range : one.ranges) {
            const auto size = sizes.find(range);
            if (size == sizes.end())
                throw error(errc::invalid_argument,
                            "sizes: no input tells the size of range '" + range + "'",
                            {.label = range});
            extents.push_back(size->second);
        }
        outputs.push_back(new_record(scene, request.outputs.at(one.name), data_type::f64, extents));
    }
    const byte_count available = scene.headroom(per_rank(static_cast<std::size_t>(scene.ranks)));
    for (const bool with_copies : {true, false}) {
        program_plan plan = make_program_plan(
            request.equations, sizes, scene.ranks,
            options_of_program({.threads = scene.threads, .ranks_per_node = scene.ranks_per_node},
                               with_copies));
        memory_demand memory = demand_of(plan, inputs, outputs, scene.ranks);
        index_t most = 0;
        for (std::size_t rank = 0; rank < memory.output.size(); ++rank)
            most = std::max(most, memory.output[rank] + memory.temporary[rank]);
        if (most <= available.value)
            return {std::move(plan), with_copies, std::move(outputs), std::move(memory), available};
        if (!with_copies)
            throw memory_shortage{{most - available.value}};
    }
    throw std::logic_error("a program is planned without copies at last");
}

planned_job plan_program(const planning_scene &scene, const program_request &request,
                         const std::vector<tensor_pointer> &inputs) {
    program_outline outline = outline_program(scene, request, inputs);
    planned_job result;
    result.kind = "program";
    result.memory = std::move(outline.memory);
    result.seconds = outline.plan.summary().seconds;
    result.bytes = outline.plan.summary().received.value;
    result.explanation = outline.plan.describe().substr(0, longest_program_plan);
    result.work = {
        {"do", "program"},         {"program", request.text},    {"copies", outline.with_copies},
        {"names", request.names},  {"scalars", request.scalars}, {"sizes", outline.plan.sizes()},
        {"outputs", json::array()}};
    json names = json::array();
    for (const tensor_pointer &one : outline.outputs) {
        const auto called =
            std::find_if(request.outputs.begin(), request.outputs.end(),
                         [&](const auto &pair) { return pair.second == one->name; });
        result.work["outputs"].push_back({{"name", called->first}, {"extents", one->extents()}});
        names.push_back(one->name);
    }
    result.about["outputs"] = std::move(names);
    result.outputs = std::move(outline.outputs);
    return result;
}

} // namespace tenfold::server
