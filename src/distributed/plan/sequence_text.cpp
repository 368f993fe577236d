// The text of a dist_sequence: describe() and explain().
#include "base/text.hpp"
#include "distributed/plan/sequence_state.hpp"
#include "einsum/path/path.hpp"

namespace tenfold {
namespace {

using base::format;
using dist_impl::sequence_state;

/// Returns "X2 = X1 * input 3", numbered as in dist_step::operands.
std::string equation_of(const sequence_state &state, std::size_t number) {
    const dist_step &step = state.steps[number];
    std::string text = number + 1 == state.steps.size() ? "D" : format("X%zu", number + 1);
    const char *separator = " = ";
    for (const std::size_t operand : step.operands) {
        text += separator + (operand < state.inputs ? format("input %zu", operand + 1)
                                                    : format("X%zu", operand - state.inputs + 1));
        separator = " * ";
    }
    return text;
}

std::string path_line(const sequence_state &state) {
    const dist_sequence_summary &s = state.summary;
    return format("  path: %zu steps, ", state.steps.size()) + einsum_impl::describe(state.origin) +
           (state.cheapest ? "" : " within the memory per rank") +
           format(", %.4g GFLOP; all loops at once: %.4g GFLOP, %.3g x\n", s.flops * 1e-9,
                  s.flops_at_once * 1e-9, s.flops_at_once / s.flops);
}

/// Indents each line by two columns.
std::string indented(const std::string &lines) {
    std::string text;
    bool at_begin = true;
    for (const char c : lines) {
        if (at_begin)
            text += "  ";
        text += c;
        at_begin = c == '\n';
    }
    return text;
}

} // namespace

std::string dist_sequence::describe() const {
    const sequence_state &state = *state_;
    if (state.inputs <= 2)
        return state.steps.front().plan.describe();
    const dist_sequence_summary &s = state.summary;
    std::string text = state.text +
                       format(" on %d %s, ", s.ranks, s.ranks == 1 ? "rank" : "ranks") +
                       std::string(name(state.type)) + format(", %zu inputs\n", state.inputs);
    if (state.empty)
        return text + "  an extent is 0, or alpha is: nothing is multiplied\n";
    text += path_line(state);
    text += "  received per rank " + base::describe(s.bytes_received) +
            ", redistribution per rank " + base::describe(s.redistribution) + "\n";
    text += "  intermediates per rank " + base::describe(s.intermediates) +
            ", peak memory per rank " + base::describe(s.peak) + "\n";
    for (std::size_t number = 0; number < state.steps.size(); ++number) {
        const dist_step &step = state.steps[number];
        text += format("  %zu. ", number + 1) + equation_of(state, number) + ", " +
                step.result.describe() + "\n" + indented(step.plan.describe());
    }
    return text;
}

} // namespace tenfold
