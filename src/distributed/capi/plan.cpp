// Plans of distributed contractions.
#include <string>
#include <utility>
#include <vector>

#include <tenfold/dist_json.hpp>
#include <tenfold/einsum.hpp>

#include "capi/structs.hpp"
#include "distributed/capi/convert.hpp"

using namespace tenfold::capi_impl;

namespace {

using tenfold::dist_plan;
using tenfold::dist_sequence;

tenfold_dist_plan_summary summary_of(const dist_plan &plan) {
    const tenfold::dist_plan_summary &own = plan.summary();
    return {.size = 0,
            .ranks = own.ranks,
            .step_count = 1,
            .flops = own.flops,
            .bytes_received = own.bytes_received.value,
            .redistribution_bytes = own.redistribution.value,
            .peak_bytes = own.peak.value,
            .intermediate_bytes = 0,
            .grid_batch = own.grid.batch,
            .grid_m = own.grid.m,
            .grid_n = own.grid.n,
            .grid_k = own.grid.k,
            .m = own.m,
            .n = own.n,
            .k = own.k,
            .batch = own.batch,
            .bound_bytes = own.bound.value,
            .ratio_to_bound = own.ratio_to_bound,
            .workspace_bytes = own.workspace.value};
}

tenfold_dist_plan_summary summary_of(const dist_sequence &plan) {
    const tenfold::dist_sequence_summary &own = plan.summary();
    tenfold_dist_plan_summary summary{};
    summary.ranks = own.ranks;
    summary.step_count = static_cast<std::int32_t>(plan.steps().size());
    summary.flops = own.flops;
    summary.bytes_received = own.bytes_received.value;
    summary.redistribution_bytes = own.redistribution.value;
    summary.peak_bytes = own.peak.value;
    summary.intermediate_bytes = own.intermediates.value;
    return summary;
}

/// A step of a plan, and its expression.
std::pair<const dist_plan *, const char *> step_of(const tenfold_dist_plan &plan,
                                                   std::int32_t index) {
    const auto *const sequence = std::get_if<dist_sequence>(&plan.plan);
    const std::size_t count = sequence != nullptr ? sequence->steps().size() : 1;
    if (index < 0 || static_cast<std::size_t>(index) >= count)
        refuse("there is no step " + std::to_string(index) + "; the plan has " +
               std::to_string(count));
    if (sequence == nullptr)
        return {&std::get<dist_plan>(plan.plan), plan.expression.c_str()};
    const tenfold::dist_step &step = sequence->steps()[static_cast<std::size_t>(index)];
    return {&step.plan, step.expression.c_str()};
}

std::vector<tenfold::distribution> distributions_of(const tenfold_distribution *const *operands,
                                                    std::int32_t count) {
    if (count < 2)
        refuse("operand_count is " + std::to_string(count) + "; it is 2 or more, the inputs and D");
    require(operands, "operands");
    std::vector<tenfold::distribution> spreads;
    for (std::int32_t i = 0; i < count; ++i) {
        require(operands[i], ("operand " + std::to_string(i)).c_str());
        spreads.push_back(operands[i]->spread);
    }
    return spreads;
}

} // namespace

tenfold_error tenfold_dist_plan_create(const char *expression, tenfold_type type,
                                       const tenfold_distribution *const *operands,
                                       int32_t operand_count, const tenfold_dist_options *options,
                                       tenfold_dist_plan **plan) {
    return guarded([&] {
        require(plan, "plan");
        *plan = nullptr;
        require(expression, "expression");
        const tenfold::data_type element = arithmetic_type_of(type);
        const std::vector<tenfold::distribution> spreads =
            distributions_of(operands, operand_count);
        const tenfold_dist_options own = taken(options, "options");
        const taken_control none(nullptr);
        const tenfold::dist_options chosen = dist_options_of(own, none);
        std::vector<int> orders;
        for (std::size_t i = 0; i + 1 < spreads.size(); ++i)
            orders.push_back(spreads[i].order());
        const tenfold::contraction_spec spec = tenfold::parse(expression, orders);
        if (orders.size() <= 2)
            *plan = new tenfold_dist_plan{context_of(own), expression,
                                          tenfold::make_dist_plan(spec, element, spreads, chosen)};
        else
            *plan =
                new tenfold_dist_plan{context_of(own), expression,
                                      tenfold::make_dist_sequence(spec, element, spreads, chosen)};
    });
}

void tenfold_dist_plan_destroy(tenfold_dist_plan *plan) { delete plan; }

tenfold_error tenfold_dist_plan_explain(const tenfold_dist_plan *plan, const char **text) {
    return guarded([&] {
        require(plan, "plan");
        require(text, "text");
        const auto describe = [](const auto &own) { return own.describe(); };
        *text = plan->explanation.get([&] { return std::visit(describe, plan->plan); }).c_str();
    });
}

tenfold_error tenfold_dist_plan_json(const tenfold_dist_plan *plan, const char **text) {
    return guarded([&] {
        require(plan, "plan");
        require(text, "text");
        const auto write = [](const auto &own) { return tenfold::to_json(own); };
        *text = plan->json.get([&] { return std::visit(write, plan->plan); }).c_str();
    });
}

tenfold_error tenfold_dist_plan_summarise(const tenfold_dist_plan *plan,
                                          tenfold_dist_plan_summary *summary) {
    return guarded([&] {
        require(plan, "plan");
        give(std::visit([](const auto &own) { return summary_of(own); }, plan->plan), summary,
             "summary");
    });
}

tenfold_error tenfold_dist_plan_step(const tenfold_dist_plan *plan, int32_t index,
                                     tenfold_dist_plan_summary *summary, const char **expression) {
    return guarded([&] {
        require(plan, "plan");
        const auto [step, text] = step_of(*plan, index);
        give(summary_of(*step), summary, "summary");
        if (expression != nullptr)
            *expression = text;
    });
}

tenfold_error tenfold_dist_plan_layout(const tenfold_dist_plan *plan, int32_t operand,
                                       tenfold_distribution **distribution) {
    return guarded([&] {
        require(distribution, "distribution");
        *distribution = nullptr;
        require(plan, "plan");
        const auto *const single = std::get_if<dist_plan>(&plan->plan);
        if (single == nullptr)
            throw tenfold::error(tenfold::errc::unsupported,
                                 "a plan of more than two inputs has no layouts of its own");
        *distribution = new tenfold_distribution{single->layout_of(operand)};
    });
}
