// Plans of distributed contractions as JSON.
#include <tenfold/dist_json.hpp>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/checked.hpp"

namespace tenfold {
namespace {

using json = nlohmann::ordered_json;

json fields_of(const dist_plan_summary &summary) {
    json fields = {{"ranks", summary.ranks},
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
    if (summary.ranks_per_node > 0) {
        fields["ranks_per_node"] = summary.ranks_per_node;
        fields["bytes_received_per_node_from_others"] = summary.between_nodes.value;
    }
    // JSON cannot represent infinite ratios.
    if (summary.bound.value > 0 || summary.bytes_received.value == 0)
        fields["ratio_to_bound"] = summary.ratio_to_bound;
    if (summary.bound.value > 0 || summary.total_received.value == 0)
        fields["total_ratio_to_bound"] = summary.total_ratio_to_bound;
    return fields;
}

const dist_step &costliest(const std::vector<dist_step> &steps) {
    return *std::max_element(steps.begin(), steps.end(), [](const auto &one, const auto &other) {
        return one.plan.summary().flops < other.plan.summary().flops;
    });
}

/// Labels may have any bytes; JSON takes UTF-8 only.
std::string text_of(const json &object) {
    return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace

std::string to_json(const dist_plan &plan) { return text_of(fields_of(plan.summary())); }

std::string to_json(const dist_sequence &plan) {
    const dist_sequence_summary &summary = plan.summary();
    json fields = fields_of(costliest(plan.steps()).plan.summary());
    if (plan.steps().size() > 1) { // totals of the sequence
        fields["bytes_received_per_rank"] = summary.bytes_received.value;
        fields["redistribution_bytes_per_rank"] = summary.redistribution.value;
        fields["keeping_copies_equal_bytes_per_rank"] = // the last step writes the output
            plan.steps().back().plan.summary().keeping_copies_equal.value;
        fields["bound_bytes_per_rank"] = nullptr; // only single steps have a bound
        fields["ratio_to_bound"] = nullptr;
        fields["total_bytes_received_per_rank"] =
            base::saturated_add(summary.bytes_received.value, summary.redistribution.value);
        fields["total_ratio_to_bound"] = nullptr;
    }
    fields["peak_bytes_per_rank"] = summary.peak.value;
    json steps = json::array();
    for (const dist_step &step : plan.steps()) {
        json one = {{"expression", step.expression},
                    {"operands", step.operands},
                    {"result_grid", step.result.grid()}};
        one.update(fields_of(step.plan.summary()));
        steps.push_back(std::move(one));
    }
    fields["distributed_steps"] = std::move(steps);
    return text_of(fields);
}

} // namespace tenfold
