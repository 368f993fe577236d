#include <tenfold/dist_plan.hpp>

#include "distributed.hpp"
#include "distributed_options.hpp"

namespace tenfold::apps_impl {

distributed_explanation explain_distributed(const contraction_request &request,
                                            const resolved_contraction &resolved, int ranks,
                                            std::optional<byte_count> memory_per_rank) {
    std::vector<extents_t> extents;
    for (const layout &one : resolved.inputs)
        extents.push_back(one.extents());
    extents.push_back(resolved.d.extents());
    dist_options options = distributed_options(request, resolved);
    options.memory_per_rank = memory_per_rank;
    const dist_plan plan = make_dist_plan(resolved.spec, resolved.type, extents, ranks, options);

    const dist_plan_summary &summary = plan.summary();
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
        fields["ratio_to_bound"] = summary.ratio_to_bound; // else infinite, which JSON cannot say
    return {plan.describe(), std::move(fields)};
}

} // namespace tenfold::apps_impl
