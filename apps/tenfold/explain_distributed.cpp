#include <tenfold/dist_sequence.hpp>

#include "apps/tenfold/distributed.hpp"
#include "apps/tenfold/distributed_options.hpp"

namespace tenfold::apps_impl {

namespace {

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
        {"bound_bytes_per_rank", summary.bound.value},
        {"ratio_to_bound", nullptr},
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
    return fields;
}

} // namespace

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

    nlohmann::ordered_json fields = fields_of(costliest(plan.steps()).plan.summary());
    if (plan.steps().size() > 1) { // totals of the sequence
        fields["bytes_received_per_rank"] = plan.summary().bytes_received.value;
        fields["redistribution_bytes_per_rank"] = plan.summary().redistribution.value;
        fields["bound_bytes_per_rank"] = nullptr; // only single steps have a bound
        fields["ratio_to_bound"] = nullptr;
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

} // namespace tenfold::apps_impl
