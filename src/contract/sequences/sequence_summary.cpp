// The summary and description of a sequence.
#include <algorithm>

#include "base/text.hpp"
#include "contract/front/plan_state.hpp"
#include "contract/sequences/sequence.hpp"

namespace tenfold::contract_impl {
namespace {

using base::describe_seconds;
using base::format;

step_summary summarise(const sequence &steps, std::size_t number) {
    const sequence_step &step = steps.steps[number];
    const plan_summary &plan = step.plan.summary();
    step_summary summary{
        step.draft.spec.text, {},         plan.algorithm, plan.m,         plan.n, plan.k,
        plan.batch,           plan.flops, plan.seconds,   plan.workspace, {}};
    for (const operand_place place : step.draft.operands)
        summary.operands.push_back(place.is_input
                                       ? place.number
                                       : steps.input_elements.size() +
                                             steps.intermediates[place.number].written_by);
    if (step.draft.result) {
        const drafted_intermediate &result = steps.intermediates[*step.draft.result];
        summary.result = bytes(result.shape.size() * size_of(result.type));
    } else {
        const einsum_impl::contraction_problem &last = internals::of(step.plan).problem;
        summary.result =
            bytes(last.shape[einsum_impl::D].size() * size_of(last.type[einsum_impl::D]));
    }
    return summary;
}

std::string describe_choice(const sequence &steps) {
    return std::string(einsum_impl::describe_search(steps.path.optimal)) +
           (steps.cheapest ? "" : " within the workspace limit");
}

/// "input 2", or "X1" for the result of step 1.
std::string name_of(std::size_t operand, std::size_t inputs) {
    return operand < inputs ? "input " + std::to_string(operand + 1)
                            : "X" + std::to_string(operand - inputs + 1);
}

/// "1. X1 = input 1 * input 3: ac=ab*bc, m n k batch: .., 0.2 GFLOP, result 1.2 MiB" and its
/// plan's line.
std::string describe_step(const sequence &steps, const plan_summary &summary, std::size_t number) {
    const step_summary &step = summary.steps[number];
    const bool is_last = number + 1 == summary.steps.size();
    std::string text =
        format("  %zu. ", number + 1) + (is_last ? "D" : "X" + std::to_string(number + 1)) + " = ";
    for (std::size_t i = 0; i < step.operands.size(); ++i)
        text += (i > 0 ? " * " : "") + name_of(step.operands[i], steps.input_elements.size());
    text += ": " + step.expression +
            format(", %lld x %lld x %lld x %lld, %.4g GFLOP, ", static_cast<long long>(step.m),
                   static_cast<long long>(step.n), static_cast<long long>(step.k),
                   static_cast<long long>(step.batch), step.flops * 1e-9) +
            base::describe(step.result) + "\n";
    const plan_state &plan = internals::of(steps.steps[number].plan);
    return text + "     " + std::string(name(step.algorithm)) + ": " + plan.chosen->describe() +
           ", predicted " + describe_seconds(step.seconds) + ", workspace " +
           base::describe(step.workspace) + "\n" + (plan.tuning.empty() ? "" : "   " + plan.tuning);
}

} // namespace

plan_summary summarise(const sequence &steps, std::span<const input> inputs, const output &d) {
    plan_summary summary{};
    for (std::size_t s = 0; s < steps.steps.size(); ++s) {
        summary.steps.push_back(summarise(steps, s));
        const step_summary &step = summary.steps.back();
        summary.flops += step.flops;
        summary.seconds += step.seconds;
        summary.threads = std::max(summary.threads, steps.steps[s].plan.summary().threads);
        if (s + 1 < steps.steps.size())
            summary.largest_intermediate = std::max(summary.largest_intermediate, step.result);
    }
    const auto costliest = std::max_element(
        summary.steps.begin(), summary.steps.end(),
        [](const step_summary &one, const step_summary &other) { return one.flops < other.flops; });
    summary.algorithm = costliest->algorithm;
    summary.m = costliest->m;
    summary.n = costliest->n;
    summary.k = costliest->k;
    summary.batch = costliest->batch;
    for (const input &one : inputs)
        summary.bytes +=
            static_cast<double>(one.shape().size()) * static_cast<double>(size_of(one.type()));
    summary.bytes += static_cast<double>(d.shape().size()) * static_cast<double>(size_of(d.type()));
    summary.workspace = steps.workspace;
    summary.flops_at_once = steps.flops_at_once;
    return summary;
}

std::string explain_sequence(const plan_state &state) {
    const sequence &steps = *state.sequence;
    const plan_summary &summary = state.summary;
    const data_type type = internals::of(steps.steps.back().plan).problem.type[einsum_impl::D];
    std::string text = state.text + ", " + std::string(name(type)) +
                       format(", %zu inputs, %d %s\n", steps.input_elements.size(), summary.threads,
                              summary.threads == 1 ? "thread" : "threads");
    if (steps.empty)
        return text + "  an extent is 0: nothing is multiplied\n";
    text += format("  path: %zu steps, ", summary.steps.size()) + describe_choice(steps) +
            format(", %.4g GFLOP; all loops at once: %.4g GFLOP, %.3g x\n", summary.flops * 1e-9,
                   summary.flops_at_once * 1e-9, summary.flops_at_once / summary.flops);
    text += format("  %s of tensors, largest intermediate ",
                   base::describe(base::nearest_byte_count(summary.bytes)).c_str()) +
            base::describe(summary.largest_intermediate) + "\n";
    text += "  predicted " + describe_seconds(summary.seconds) + ", workspace " +
            base::describe(summary.workspace) + ", intermediates included\n";
    for (std::size_t s = 0; s < summary.steps.size(); ++s)
        text += describe_step(steps, summary, s);
    return text;
}

} // namespace tenfold::contract_impl
