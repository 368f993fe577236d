#include <algorithm>
#include <set>

#include "apps/server/planning.hpp"

namespace tenfold::server {
namespace {

using nlohmann::json;

/// Characters of what is kept of a job for people.
constexpr std::size_t longest_told = 200, longest_explained = 4 << 10;

std::string input_name(std::size_t number) { return "input " + std::to_string(number + 1); }

/// All inputs are of one type.
data_type common_type(const std::vector<tensor_pointer> &inputs, const std::string &user) {
    for (std::size_t i = 1; i < inputs.size(); ++i)
        if (inputs[i]->type != inputs[0]->type)
            throw error(errc::type_mismatch,
                        "'" + inputs[0]->name_for(user) + "' has elements of type " +
                            std::string(tenfold::name(inputs[0]->type)) + ", '" +
                            inputs[i]->name_for(user) + "' of type " +
                            std::string(tenfold::name(inputs[i]->type)),
                        {.first = {.name = input_name(0), .type = inputs[0]->type},
                         .second = {.name = input_name(i), .type = inputs[i]->type}});
    return inputs[0]->type;
}

contraction_spec read_expression(const std::string &expression,
                                 const std::vector<tensor_pointer> &inputs,
                                 const std::string &user) {
    std::vector<int> orders;
    for (const tensor_pointer &one : inputs)
        orders.push_back(one->spread.order());
    contraction_spec spec = parse(expression, orders);
    if (spec.inputs.size() != inputs.size())
        throw wrong_request("the expression has " + std::to_string(spec.inputs.size()) +
                            " inputs, the request " + std::to_string(inputs.size()));
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (spec.inputs[i].size() != inputs[i]->extents().size())
            throw error(errc::order_mismatch,
                        "'" + inputs[i]->name_for(user) + "' has " +
                            std::to_string(inputs[i]->extents().size()) +
                            " modes, the expression gives it " +
                            std::to_string(spec.inputs[i].size()) + " labels",
                        {.first = {.name = input_name(i), .order = inputs[i]->spread.order()},
                         .second = {.order = static_cast<index_t>(spec.inputs[i].size())}});
    return spec;
}

/// Of labels that several inputs have, the planner compares the extents.
extents_t output_extents(const contraction_spec &spec, const std::vector<tensor_pointer> &inputs) {
    extents_t extents;
    for (const label_t label : spec.output) {
        index_t extent = 0;
        for (std::size_t i = 0; i < inputs.size(); ++i)
            for (std::size_t mode = 0; mode < spec.inputs[i].size(); ++mode)
                if (spec.inputs[i][mode] == label)
                    extent = std::max(extent, inputs[i]->extents()[mode]);
        extents.push_back(extent);
    }
    return extents;
}

per_rank sum_of_bytes(const std::vector<tensor_pointer> &tensors, int ranks) {
    per_rank sum(static_cast<std::size_t>(ranks));
    std::set<std::uint64_t> seen;
    for (const tensor_pointer &one : tensors)
        if (seen.insert(one->id).second)
            for (std::size_t rank = 0; rank < sum.size(); ++rank)
                sum[rank] += one->bytes[rank];
    return sum;
}

} // namespace

contract_request contract_request::parse(const json &request, bool names_output) {
    fields read(request);
    contract_request result;
    result.expression = read.text("expression");
    result.inputs = parse_operands(read.get("inputs"));
    result.output =
        names_output ? read.text("output") : read.find_text("output").value_or("output");
    dist_options &options = result.options;
    options.alpha = read.find_scalar("alpha").value_or(1.0);
    options.beta = read.find_scalar("beta");
    options.diagonal_output = read.find_flag("diagonal_output").value_or(false);
    options.reproducible = read.find_flag("reproducible").value_or(false);
    if (const auto text = read.find_text("algorithm")) {
        const auto algorithm = parse_algorithm(*text);
        if (!algorithm)
            throw wrong_request("there is no algorithm '" + *text + "'");
        options.algorithm = *algorithm;
    }
    if (const auto most = read.find_integer("memory_per_rank", 1))
        options.memory_per_rank = byte_count{*most};
    read.finish();
    return result;
}

contraction_outline outline_contract(const planning_scene &scene, const resolved_contract &what) {
    const contract_request &request = what.request;
    const data_type type = common_type(what.inputs, scene.user);
    const contraction_spec spec = read_expression(request.expression, what.inputs, scene.user);
    const bool updates = request.options.beta ? *request.options.beta != scalar(0)
                                              : spec.operation != contraction_spec::update::assign;
    tensor_pointer output =
        new_record(scene, request.output, type, output_extents(spec, what.inputs));
    if (updates) {
        if (!what.former)
            throw refusal(404, "not_found",
                          "there is no tensor '" + request.output + "' to add to");
        if (what.former->type != type)
            throw error(errc::type_mismatch, "'" + request.output + "' has another element type",
                        {.first = {.name = input_name(0), .type = type},
                         .second = {.name = request.output, .type = what.former->type}});
        if (what.former->extents() != output->extents())
            throw error(errc::extent_mismatch,
                        "'" + request.output + "', which is added to, has other extents");
    }
    std::vector<distribution> operands;
    std::vector<bool> conjugated;
    for (std::size_t i = 0; i < what.inputs.size(); ++i) {
        operands.push_back(what.inputs[i]->spread);
        conjugated.push_back(request.inputs[i].conj);
    }
    operands.push_back(output->spread);
    const per_rank own = sum_of_bytes(what.inputs, scene.ranks);
    const byte_count there_is = scene.headroom(own);
    dist_options options = request.options;
    options.threads = scene.threads;
    options.ranks_per_node = scene.ranks_per_node;
    // Without a limit first: the plan is the cheapest, and the same whatever else is there.
    std::optional<dist_sequence> plan;
    if (!options.memory_per_rank || *options.memory_per_rank <= there_is)
        plan = make_dist_sequence(spec, type, operands, options, conjugated);
    if (!plan || plan->summary().peak > there_is) {
        options.memory_per_rank = there_is;
        try {
            plan = make_dist_sequence(spec, type, operands, options, conjugated);
        } catch (const error &problem) {
            const auto least = problem.details().least;
            if (problem.code() != errc::workspace_too_small || !least)
                throw;
            throw memory_shortage{{least->value - there_is.value}};
        }
    }
    return {*plan, std::move(output), own, options.memory_per_rank, updates};
}

planned_job plan_contract(const planning_scene &scene, const resolved_contract &what) {
    const contraction_outline outline = outline_contract(scene, what);
    const contract_request &request = what.request;
    const byte_count peak = outline.plan.summary().peak;
    planned_job result;
    result.kind = "contract";
    result.output = outline.output;
    result.memory.output = outline.output->bytes;
    for (std::size_t rank = 0; rank < outline.own.size(); ++rank)
        result.memory.temporary.push_back(
            std::max<index_t>(0, peak.value - outline.own[rank] - outline.output->bytes[rank]));
    result.flops = outline.plan.summary().flops;
    result.about["expression"] = request.expression.substr(0, longest_told);
    result.explanation = outline.plan.describe().substr(0, longest_explained);
    result.bytes =
        outline.plan.summary().bytes_received.value + outline.plan.summary().redistribution.value;
    json conjugated = json::array();
    for (const operand &one : request.inputs)
        conjugated.push_back(one.conj);
    result.work = {{"do", "contract"},
                   {"expression", request.expression},
                   {"conj", conjugated},
                   {"alpha", scalar_json(request.options.alpha)},
                   {"diagonal_output", request.options.diagonal_output},
                   {"reproducible", request.options.reproducible.value_or(false)},
                   {"algorithm", tenfold::name(request.options.algorithm)}};
    if (outline.limit)
        result.work["memory_per_rank"] = outline.limit->value;
    if (request.options.beta)
        result.work["beta"] = scalar_json(*request.options.beta);
    if (outline.updates) {
        result.work["base"] = what.former->storage;
        result.updates = what.former->id;
    }
    return result;
}

} // namespace tenfold::server
