// A distributed plan in words.
#include <cstdio>
#include <string>

#include <tenfold/dist_plan.hpp>

#include "base/text.hpp"
#include "distributed/plan/plan_state.hpp"

namespace tenfold {
namespace dist_impl {
namespace {

std::string group_text(const plan_state &plan, const char *name, label_class group, int parts) {
    const std::vector<int> labels = plan.problem->group(group);
    std::string text = std::string("  ") + name;
    for (const int label : labels) {
        const problem_label &one = plan.problem->labels[static_cast<std::size_t>(label)];
        text += " " + one.name + "=" + std::to_string(one.extent);
    }
    return text + (labels.empty() ? " -" : "") + ": " +
           std::to_string(plan.problem->size_of(group)) + ", cut into " + std::to_string(parts) +
           "\n";
}

/// Says which operands have copies, how inputs are read, and what copies of the output cost.
std::string copies_text(const plan_state &plan) {
    std::string text;
    for (const tensor_id operand : all_but_c) {
        if (plan.given[operand].copies() == 1 || (operand == B && plan.problem->unary))
            continue;
        constexpr const char *names[] = {"A", "B", "D"};
        text += std::string("  ") + names[operand] + " in " +
                std::to_string(plan.given[operand].copies()) + " copies";
        if (operand == D)
            text += ", kept equal with " + base::describe(plan.summary.keeping_copies_equal) +
                    " per rank of the redistribution";
        else if (plan.where.choice().copied[operand])
            text += ", each rank reads its panel from one, and nothing is gathered";
        text += "\n";
    }
    return text;
}

/// What a node is of the grid, and what it receives; nothing if there is one node.
std::string nodes_text(const plan_state &plan) {
    const dist_plan_summary &s = plan.summary;
    if (s.ranks_per_node == 0)
        return "";
    std::string text = "  nodes of " + std::to_string(s.ranks_per_node) +
                       (s.ranks_per_node == 1 ? " rank" : " ranks");
    if (const layout_choice &choice = plan.where.choice(); choice.runs_by_nodes()) {
        text += ", batch x m x n x k = ";
        for (std::size_t group = 0; group < choice.node_part.size(); ++group)
            text += (group == 0 ? "" : " x ") + std::to_string(choice.node_part[group]);
        text += " of the grid";
    }
    return text + ": each receives " + base::describe(s.between_nodes) +
           " from others, without redistribution\n";
}

/// "f32", or "bf16 and f32 to f32": of the inputs and of the output.
std::string types_text(const plan_state &plan) {
    const auto &[a, b, d] = plan.types.stored;
    const std::string inputs =
        std::string(name(a)) + (b == a ? "" : " and " + std::string(name(b)));
    return a == d && b == d ? inputs : inputs + " to " + std::string(name(d));
}

} // namespace
} // namespace dist_impl

std::string dist_plan::describe() const {
    using namespace dist_impl;
    const dist_plan_summary &s = state_->summary;
    const processor_grid &grid = s.grid;
    std::string text = state_->spec.to_string() + " on " + std::to_string(s.ranks) +
                       (s.ranks == 1 ? " rank, " : " ranks, ") + types_text(*state_) + "\n";
    text += "  grid batch x m x n x k = " + std::to_string(grid.batch) + " x " +
            std::to_string(grid.m) + " x " + std::to_string(grid.n) + " x " +
            std::to_string(grid.k);
    if (const auto idle = s.ranks - grid.size(); idle > 0)
        text += ", " + std::to_string(idle) + (idle == 1 ? " rank idle" : " ranks idle");
    text += "\n";
    text += group_text(*state_, "batch", label_class::batch, grid.batch);
    text += group_text(*state_, "m", label_class::m, grid.m);
    text += group_text(*state_, "n", label_class::n, grid.n);
    text += group_text(*state_, "k", label_class::k, grid.k);

    text += copies_text(*state_);
    char numbers[256];
    std::snprintf(numbers, sizeof numbers, "  flops per rank %.4g of %.4g\n", s.flops_per_rank,
                  s.flops);
    text += numbers;
    text += "  received per rank " + base::describe(s.bytes_received) + ", bound " +
            base::describe(s.bound) +
            (s.bound_is_memory_dependent ? " (memory-dependent)" : " (memory-independent)");
    if (s.bound.value > 0) {
        std::snprintf(numbers, sizeof numbers, ", ratio %.3f", s.ratio_to_bound);
        text += numbers;
    }
    text += "\n  redistribution per rank " + base::describe(s.redistribution) + ", with it " +
            base::describe(s.total_received);
    if (s.bound.value > 0) {
        std::snprintf(numbers, sizeof numbers, ", ratio %.3f", s.total_ratio_to_bound);
        text += numbers;
    }
    text += "\n";
    text += nodes_text(*state_);
    text += "  steps batch x m x n x k = " + std::to_string(s.steps.batch) + " x " +
            std::to_string(s.steps.m) + " x " + std::to_string(s.steps.n) + " x " +
            std::to_string(s.steps.k) + ", panels of one step " + base::describe(s.panels) + "\n";
    if (s.leaves > 0)
        text += "  reproducible: k in " + std::to_string(s.leaves) +
                (s.leaves == 1 ? " leaf\n" : " leaves\n");
    text += "  peak memory per rank " + base::describe(s.peak);
    if (state_->options.memory_per_rank)
        text += " of " + base::describe(*state_->options.memory_per_rank);
    text += ", " + base::describe(s.workspace) + " of it for local contractions\n";
    return text;
}

} // namespace tenfold
