// The command `tenfold explain`.
#include <cstdio>
#include <optional>

#include <nlohmann/json.hpp>

#include <tenfold/dist_sequence.hpp>

#include "apps/common/launcher.hpp"
#include "apps/common/program.hpp"
#include "apps/common/values.hpp"
#include "apps/tenfold/commands.hpp"
#include "apps/tenfold/distributed_options.hpp"
#include "base/checked.hpp"

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

nlohmann::ordered_json fields_of(const dist_plan_summary &summary) {
    nlohmann::ordered_json fields = {
        {"ranks", summary.ranks},
        {"grid",
         {{"batch", summary.grid.batch},
          {"m", summary.grid.m},
          {"n", summary.grid.n},
          {"k", summary.grid.k}}},
        {"bytes_received_per_rank", summary.bytes_received.value},
        {"redistribution_bytes_per_rank", summary.redistribution.value},
        {"keeping_copies_equal_bytes_per_rank", summary.keeping_copies_equal.value},
        {"bound_bytes_per_rank", summary.bound.value},
        {"ratio_to_bound", nullptr},
        {"total_bytes_received_per_rank", summary.total_received.value},
        {"total_ratio_to_bound", nullptr},
        {"sequential_steps",
         {{"batch", summary.steps.batch},
          {"m", summary.steps.m},
          {"n", summary.steps.n},
          {"k", summary.steps.k}}},
        {"step_panel_bytes_per_rank", summary.panels.value},
        {"peak_bytes_per_rank", summary.peak.value}};
    if (summary.bound.value > 0 || summary.bytes_received.value == 0)
        fields["ratio_to_bound"] = summary.ratio_to_bound; // else it is infinite, which JSON cannot
                                                           // represent
    if (summary.bound.value > 0 || summary.total_received.value == 0)
        fields["total_ratio_to_bound"] = summary.total_ratio_to_bound;
    return fields;
}

/// What --ranks, --memory-per-rank and --copies say.
struct distributed_choices {
    std::optional<int> ranks;
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
    const dist_sequence plan = make_dist_sequence(resolved.spec, resolved.type, operands, options);

    nlohmann::ordered_json fields = fields_of(costliest(plan.steps()).plan.summary());
    if (plan.steps().size() > 1) { // totals of the sequence
        fields["bytes_received_per_rank"] = plan.summary().bytes_received.value;
        fields["redistribution_bytes_per_rank"] = plan.summary().redistribution.value;
        fields["keeping_copies_equal_bytes_per_rank"] = // the last step writes the output
            plan.steps().back().plan.summary().keeping_copies_equal.value;
        fields["bound_bytes_per_rank"] = nullptr; // only single steps have a bound
        fields["ratio_to_bound"] = nullptr;
        fields["total_bytes_received_per_rank"] = base::saturated_add(
            plan.summary().bytes_received.value, plan.summary().redistribution.value);
        fields["total_ratio_to_bound"] = nullptr;
    }
    fields["peak_bytes_per_rank"] = plan.summary().peak.value;
    auto steps = nlohmann::ordered_json::array();
    for (const dist_step &step : plan.steps()) {
        nlohmann::ordered_json one = {{"expression", step.expression},
                                      {"operands", step.operands},
                                      {"result_grid", step.result.grid()}};
        one.update(fields_of(step.plan.summary()));
        steps.push_back(std::move(one));
    }
    fields["distributed_steps"] = std::move(steps);
    return {plan.describe(), std::move(fields)};
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
    add_value(
        distributed_group, "ranks", "P", &choices.ranks,
        [](const std::string &option, const std::string &text) {
            return parse_count(option, text);
        },
        "explain a run on P ranks, without one");
    add_value(distributed_group, "memory-per-rank", "SIZE", &choices.memory_per_rank, parse_size,
              "the most memory of one rank, tensors included");
    add_value(distributed_group, "copies", "N,N,..", &choices.copies, parse_integers,
              "in how many copies each tensor is kept, the output last (1)");
    add_json_option(line.group("Output"), json);
    if (!line.parse(arguments))
        return exit_success;
    if (choices.memory_per_rank && !choices.ranks)
        throw usage_error("--memory-per-rank goes with --ranks");
    if (!choices.copies.empty() && !choices.ranks)
        throw usage_error("--copies goes with --ranks");
    if (choices.ranks)
        refuse_tuning(request);

    const resolved_contraction resolved =
        resolve(request, choices.ranks ? half_precision::widened : half_precision::kept);
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
