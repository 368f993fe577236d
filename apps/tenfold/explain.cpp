// The command `tenfold explain`.
#include <cstdio>
#include <optional>

#include <nlohmann/json.hpp>

#include <tenfold/dist_json.hpp>
#include <tenfold/dist_mixed_plan.hpp>

#include "apps/common/launcher.hpp"
#include "apps/common/program.hpp"
#include "apps/common/values.hpp"
#include "apps/tenfold/commands.hpp"
#include "apps/tenfold/distributed_options.hpp"

namespace tenfold::apps_impl {
namespace {

/// The fields of ranks and bytes for one process, which receives nothing.
nlohmann::ordered_json one_process(index_t peak_bytes) {
    return {{"ranks", 1},
            {"grid", {{"batch", 1}, {"m", 1}, {"n", 1}, {"k", 1}}},
            {"bytes_received_per_rank", 0},
            {"redistribution_bytes_per_rank", 0},
            {"keeping_copies_equal_bytes_per_rank", 0},
            {"bound_bytes_per_rank", 0},
            {"ratio_to_bound", 1.0},
            {"total_bytes_received_per_rank", 0},
            {"total_ratio_to_bound", 1.0},
            {"sequential_steps", {{"batch", 1}, {"m", 1}, {"n", 1}, {"k", 1}}},
            {"step_panel_bytes_per_rank", 0},
            {"peak_bytes_per_rank", peak_bytes}};
}

/// What --ranks, --ranks-per-node, --memory-per-rank and --copies say.
struct distributed_choices {
    std::optional<int> ranks, ranks_per_node;
    std::optional<byte_count> memory_per_rank;
    std::vector<index_t> copies; ///< of the inputs in order, then of the output; or empty
};

/// Describes a distributed run whose operands are in the default distribution, or in copies: lines
/// of text, and the fields of --json for ranks, grid and bytes.
struct distributed_explanation {
    std::string text;
    nlohmann::ordered_json fields;
};
distributed_explanation explain_distributed(const contraction_request &request,
                                            const resolved_contraction &resolved,
                                            const distributed_choices &choices) {
    if (!choices.copies.empty() && choices.copies.size() != resolved.inputs.size() + 1)
        throw usage_error("--copies has " + std::to_string(choices.copies.size()) +
                          " numbers for " + std::to_string(resolved.inputs.size() + 1) +
                          " tensors, the output last");
    std::vector<distribution> operands;
    const auto add = [&](const layout &one) {
        const index_t copies = choices.copies.empty() ? 1 : choices.copies[operands.size()];
        if (copies < 1 || copies > *choices.ranks)
            throw usage_error("--copies: " + std::to_string(copies) + " on " +
                              std::to_string(*choices.ranks) +
                              " ranks; at least 1, and at most one on each rank");
        operands.push_back(
            distribution::replicated(one.extents(), *choices.ranks, static_cast<int>(copies)));
    };
    for (const layout &one : resolved.inputs)
        add(one);
    add(resolved.d);
    dist_options options = distributed_options(request, resolved);
    options.memory_per_rank = choices.memory_per_rank;
    options.ranks_per_node = choices.ranks_per_node.value_or(0);
    std::vector<data_type> types;
    for (std::size_t i = 0; i < resolved.inputs.size(); ++i)
        types.push_back(resolved.type_of_input(i));
    types.push_back(resolved.types.output);
    const dist_sequence plan = make_dist_sequence(resolved.spec, types, operands, options);

    return {plan.describe(), nlohmann::ordered_json::parse(to_json(plan))};
}

} // namespace

int explain_command(const std::vector<std::string> &arguments) {
    contraction_request request;
    distributed_choices choices;
    bool json = false;
    command_line line("tenfold explain",
                      "SPEC (--extents a=48,b=36,... | --a A.npy --b B.npy) [options]",
                      "Shows how 'tenfold contract' with the same options would run: sizes, "
                      "algorithm,\nworkspace, predicted seconds and what was rejected. Reads no "
                      "data.");
    add_contraction_options(line, request);
    auto &distributed_group = line.group("Distributed");
    const auto parse_ranks = [](const std::string &option, const std::string &text) {
        return parse_count(option, text);
    };
    add_value(distributed_group, "ranks", "P", &choices.ranks, parse_ranks,
              "explain a run on P ranks, without one");
    add_value(distributed_group, "ranks-per-node", "N", &choices.ranks_per_node, parse_ranks,
              "on nodes of N ranks each (all on one)");
    add_value(distributed_group, "memory-per-rank", "SIZE", &choices.memory_per_rank, parse_size,
              "the most memory of one rank, tensors included");
    add_value(distributed_group, "copies", "N,N,..", &choices.copies, parse_integers,
              "in how many copies each tensor is kept, the output last (1)");
    add_json_option(line.group("Output"), json);
    if (!line.parse(arguments))
        return exit_success;
    if (choices.memory_per_rank && !choices.ranks)
        throw usage_error("--memory-per-rank goes with --ranks");
    if (choices.ranks_per_node && !choices.ranks)
        throw usage_error("--ranks-per-node goes with --ranks");
    if (!choices.copies.empty() && !choices.ranks)
        throw usage_error("--copies goes with --ranks");
    if (choices.ranks)
        refuse_across_ranks(request);

    const resolved_contraction resolved = resolve(request, half_precision::kept);
    const contraction_plan plan = plan_for(request, resolved);
    std::optional<distributed_explanation> distributed;
    if (choices.ranks)
        distributed = explain_distributed(request, resolved, choices);

    if (launched_rank() != 0)
        return exit_success;
    std::string text = distributed ? distributed->text : plan.explain();
    if (json) {
        auto object = nlohmann::ordered_json::parse(to_json(plan.summary()));
        object.update(distributed ? distributed->fields
                                  : one_process(base::checked_add(
                                        resolved.tensor_bytes(), plan.workspace_size().value,
                                        "bytes of tensors and workspace")));
        text = object.dump() + "\n";
    }
    std::fputs(text.c_str(), stdout);
    return exit_success;
}

} // namespace tenfold::apps_impl
