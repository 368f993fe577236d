// The command `tenfold explain`.
#include <cstdio>
#include <optional>

#include <nlohmann/json.hpp>

#include <tenfold/dist_json.hpp>

#include "apps/common/launcher.hpp"
#include "apps/common/program.hpp"
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
            {"bound_bytes_per_rank", 0},
            {"ratio_to_bound", 1.0},
            {"total_bytes_received_per_rank", 0},
            {"total_ratio_to_bound", 1.0},
            {"sequential_steps", {{"batch", 1}, {"m", 1}, {"n", 1}, {"k", 1}}},
            {"step_panel_bytes_per_rank", 0},
            {"peak_bytes_per_rank", peak_bytes}};
}

/// Describes a distributed run whose operands are in the default distribution: lines of text, and
/// the fields of --json for ranks, grid and bytes.
struct distributed_explanation {
    std::string text;
    nlohmann::ordered_json fields;
};
distributed_explanation explain_distributed(const contraction_request &request,
                                            const resolved_contraction &resolved, int ranks,
                                            std::optional<byte_count> memory_per_rank) {
    std::vector<distribution> operands;
    for (const layout &one : resolved.inputs)
        operands.push_back(distribution::block(one.extents(), ranks));
    operands.push_back(distribution::block(resolved.d.extents(), ranks));
    dist_options options = distributed_options(request, resolved);
    options.memory_per_rank = memory_per_rank;
    const dist_sequence plan = make_dist_sequence(resolved.spec, resolved.type, operands, options);

    return {plan.describe(), nlohmann::ordered_json::parse(to_json(plan))};
}

} // namespace

int explain_command(const std::vector<std::string> &arguments) {
    contraction_request request;
    std::optional<int> ranks;
    std::optional<byte_count> memory_per_rank;
    bool json = false;
    command_line line("tenfold explain",
                      "SPEC (--extents a=48,b=36,... | --a A.npy --b B.npy) [options]",
                      "Shows how 'tenfold contract' with the same options would run: sizes, "
                      "algorithm,\nworkspace, predicted seconds and what was rejected. Reads no "
                      "data.");
    add_contraction_options(line, request);
    auto &distributed_group = line.group("Distributed");
    add_value(
        distributed_group, "ranks", "P", &ranks,
        [](const std::string &option, const std::string &text) {
            return parse_count(option, text);
        },
        "explain a run on P ranks, without one");
    add_value(distributed_group, "memory-per-rank", "SIZE", &memory_per_rank, parse_size,
              "the most memory of one rank, tensors included");
    add_json_option(line.group("Output"), json);
    if (!line.parse(arguments))
        return exit_success;
    if (memory_per_rank && !ranks)
        throw usage_error("--memory-per-rank goes with --ranks");
    if (ranks)
        refuse_tuning(request);

    const resolved_contraction resolved =
        resolve(request, ranks ? half_precision::widened : half_precision::kept);
    const contraction_plan plan = plan_for(request, resolved);
    std::optional<distributed_explanation> distributed;
    if (ranks)
        distributed = explain_distributed(request, resolved, *ranks, memory_per_rank);

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
