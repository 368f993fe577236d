// Plans of distributed contractions.
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <tenfold/dist_json.hpp>
#include <tenfold/dist_mixed_plan.hpp>
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
            .workspace_bytes = own.workspace.value,
            .flops_at_once = own.flops,
            .total_received_bytes = own.total_received.value,
            .total_ratio_to_bound = own.total_ratio_to_bound,
            .flops_per_rank = own.flops_per_rank,
            .memory_independent_bound_bytes = own.memory_independent_bound.value,
            .memory_dependent_bound_bytes = own.memory_dependent_bound.value,
            .steps_batch = own.steps.batch,
            .steps_m = own.steps.m,
            .steps_n = own.steps.n,
            .steps_k = own.steps.k,
            .leaves = own.leaves,
            .panel_bytes = own.panels.value,
            .keeping_copies_equal_bytes = own.keeping_copies_equal.value,
            .beside_bytes = 0,
            .between_nodes_bytes = own.between_nodes.value,
            .ranks_per_node = own.ranks_per_node,
            .nodes = own.ranks_per_node > 0 ? (own.ranks - 1) / own.ranks_per_node + 1 : 1};
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
    summary.flops_at_once = own.flops_at_once;
    summary.total_received_bytes = own.bytes_received.value + own.redistribution.value;
    return summary;
}

/// Refers to the plan.
struct step_view {
    const dist_plan *plan;
    const char *expression;
    std::span<const std::size_t> operands;
    const tenfold::distribution *result;
    tenfold::byte_count beside;
};

step_view step_of(const tenfold_dist_plan &plan, std::int32_t index) {
    const auto *const sequence = std::get_if<dist_sequence>(&plan.plan);
    const std::size_t count = sequence != nullptr ? sequence->steps().size() : 1;
    if (index < 0 || static_cast<std::size_t>(index) >= count)
        refuse("there is no step " + std::to_string(index) + "; the plan has " +
               std::to_string(count));
    if (sequence == nullptr) {
        static constexpr std::array<std::size_t, 2> in_order = {0, 1};
        return {.plan = &std::get<dist_plan>(plan.plan),
                .expression = plan.expression.c_str(),
                .operands = std::span(in_order).first(plan.inputs),
                .result = &plan.output,
                .beside = {}};
    }
    const tenfold::dist_step &step = sequence->steps()[static_cast<std::size_t>(index)];
    return {.plan = &step.plan,
            .expression = step.expression.c_str(),
            .operands = step.operands,
            .result = &step.result,
            .beside = step.beside};
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

/// For each input, whether its complex conjugate is read.
std::vector<bool> conjugated_of(const tenfold_dist_options &given, std::size_t inputs) {
    std::vector<bool> conjugated(inputs);
    for (std::size_t i = 0; given.conjugated != nullptr && i < inputs; ++i)
        conjugated[i] = given.conjugated[i] != 0;
    return conjugated;
}

/// What a caller passed. `type_of` returns the element type of an operand by its number.
template <class TypeOf> struct plan_call {
    const char *expression;
    const TypeOf &type_of;
    const tenfold_distribution *const *operands;
    std::int32_t operand_count;
    const tenfold_dist_options *options;
};

template <class TypeOf>
tenfold_error make_plan(const plan_call<TypeOf> &given, tenfold_dist_plan **plan) noexcept {
    return guarded([&] {
        require(plan, "plan");
        *plan = nullptr;
        require(given.expression, "expression");
        const std::vector<tenfold::distribution> spreads =
            distributions_of(given.operands, given.operand_count);
        std::vector<tenfold::data_type> types;
        for (std::size_t i = 0; i < spreads.size(); ++i)
            types.push_back(element_type_of(given.type_of(i)));
        const tenfold_dist_options own = taken(given.options, "options");
        const taken_control none(nullptr);
        tenfold::dist_options chosen = dist_options_of(own, none);
        std::vector<int> orders;
        for (std::size_t i = 0; i + 1 < spreads.size(); ++i)
            orders.push_back(spreads[i].order());
        const std::vector<bool> conjugated = conjugated_of(own, orders.size());
        if (orders.size() <= 2) { // of more, the list says so
            chosen.conj_a = conjugated[0];
            chosen.conj_b = orders.size() == 2 && conjugated[1];
        }
        const tenfold::contraction_spec spec = tenfold::parse(given.expression, orders);
        const any_dist_plan made =
            orders.size() <= 2
                ? any_dist_plan(tenfold::make_dist_plan(spec, types, spreads, chosen))
                : any_dist_plan(
                      tenfold::make_dist_sequence(spec, types, spreads, chosen, conjugated));
        *plan = new tenfold_dist_plan{context_of(own), given.expression, made, orders.size(),
                                      spreads.back()};
    });
}

} // namespace

tenfold_error tenfold_dist_plan_create(const char *expression, tenfold_type type,
                                       const tenfold_distribution *const *operands,
                                       int32_t operand_count, const tenfold_dist_options *options,
                                       tenfold_dist_plan **plan) {
    const auto type_of_all = [&](std::size_t) { return type; };
    return make_plan(plan_call{expression, type_of_all, operands, operand_count, options}, plan);
}

tenfold_error tenfold_dist_plan_create_mixed(const char *expression, const tenfold_type *types,
                                             const tenfold_distribution *const *operands,
                                             int32_t operand_count,
                                             const tenfold_dist_options *options,
                                             tenfold_dist_plan **plan) {
    const auto type_of = [&](std::size_t operand) {
        require(types, "types");
        return types[operand];
    };
    return make_plan(plan_call{expression, type_of, operands, operand_count, options}, plan);
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
        const step_view step = step_of(*plan, index);
        tenfold_dist_plan_summary own = summary_of(*step.plan);
        own.beside_bytes = step.beside.value;
        give(own, summary, "summary");
        if (expression != nullptr)
            *expression = step.expression;
    });
}

tenfold_error tenfold_dist_plan_step_operands(const tenfold_dist_plan *plan, int32_t index,
                                              const size_t **operands, int32_t *count) {
    return guarded([&] {
        require(plan, "plan");
        require(operands, "operands");
        require(count, "count");
        const step_view step = step_of(*plan, index);
        *operands = step.operands.data();
        *count = static_cast<int32_t>(step.operands.size());
    });
}

tenfold_error tenfold_dist_plan_step_result(const tenfold_dist_plan *plan, int32_t index,
                                            tenfold_distribution **distribution) {
    return guarded([&] {
        require(distribution, "distribution");
        *distribution = nullptr;
        require(plan, "plan");
        *distribution = new tenfold_distribution{*step_of(*plan, index).result};
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
                                 "a plan of more than two inputs has no layouts of its own, but "
                                 "its steps have");
        *distribution = new tenfold_distribution{single->layout_of(operand)};
    });
}

tenfold_error tenfold_dist_plan_step_layout(const tenfold_dist_plan *plan, int32_t index,
                                            int32_t operand, tenfold_distribution **distribution) {
    return guarded([&] {
        require(distribution, "distribution");
        *distribution = nullptr;
        require(plan, "plan");
        *distribution = new tenfold_distribution{step_of(*plan, index).plan->layout_of(operand)};
    });
}

tenfold_error tenfold_dist_plan_hash(const tenfold_dist_plan *plan, uint64_t *hash) {
    return guarded([&] {
        require(plan, "plan");
        require(hash, "hash");
        *hash = std::visit([](const auto &own) { return own.hash(); }, plan->plan);
    });
}
