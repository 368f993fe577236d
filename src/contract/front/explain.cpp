#include "base/text.hpp"
#include "contract/front/plan_state.hpp"

namespace tenfold::contract_impl {
namespace {

using base::describe_seconds;
using base::format;

/// "m: ab (576), c (20)" for a group's super-indices; empty for an empty group.
std::string describe_group(const char *title, const einsum_impl::mode_group &group) {
    if (group.empty())
        return "";
    std::string text = std::string("  ") + title + ":";
    const char *separator = " ";
    for (const auto &mode : group) {
        text += separator + mode.label + " (" + std::to_string(mode.extent) + ")";
        separator = ", ";
    }
    return text + "\n";
}

/// "1.30 x the time". If `of` is 0, because there is nothing to do, no ratio exists, and the text
/// only says whether it takes more time.
std::string describe_ratio(double seconds, double of) {
    if (of > 0)
        return format("%.2f x the time", seconds / of);
    return seconds > 0 ? "more time" : "no more time";
}

/// Describes the effect of the workspace limit; empty if it has none.
std::string describe_limit(const plan_state &state) {
    const plan_summary &summary = state.summary;
    if (!summary.without_limit)
        return "";
    const candidate_summary &best = *summary.without_limit;
    return "  shaped by the workspace limit of " +
           base::describe(state.environment.workspace_limit) + ": without it " +
           std::string(name(best.algorithm)) + ", " + describe_seconds(best.seconds) + " (" +
           describe_ratio(best.seconds, summary.seconds) + "), workspace " +
           base::describe(best.workspace) + "\n";
}

} // namespace

std::string describe_conj_output(const plan_state &state) {
    return state.conj_output
               ? "  D is the conjugate: inputs, C, alpha and beta are conjugated for it\n"
               : "";
}

std::string explain(const plan_state &state) {
    const plan_summary &summary = state.summary;
    const einsum_impl::contraction_problem &problem = state.problem;
    std::string text = state.text + ", " + std::string(name(problem.type[einsum_impl::D])) + ", " +
                       std::to_string(summary.threads) +
                       (summary.threads == 1 ? " thread\n" : " threads\n");
    text += describe_conj_output(state);
    text += describe_group("batch", problem.batch);
    text += describe_group("m (A and D)", problem.m);
    text += describe_group("n (B and D)", problem.n);
    text += describe_group("k (summed)", problem.k);
    text += describe_group("A only (summed)", problem.isolated_a);
    text += describe_group("B only (summed)", problem.isolated_b);
    text += format("  m n k batch: %lld x %lld x %lld x %lld, %.4g GFLOP, %s of tensors\n",
                   static_cast<long long>(summary.m), static_cast<long long>(summary.n),
                   static_cast<long long>(summary.k), static_cast<long long>(summary.batch),
                   summary.flops * 1e-9,
                   base::describe(base::nearest_byte_count(summary.bytes)).c_str());
    text += "  chosen: " + std::string(name(summary.algorithm)) + ": " +
            description_of(*state.chosen) + "\n";
    text += "  predicted " + describe_seconds(summary.seconds) + ", workspace " +
            base::describe(summary.workspace) + "\n" + state.tuning;
    text += describe_limit(state);
    for (const candidate_summary &other : summary.candidates) {
        if (other.algorithm == summary.algorithm)
            continue;
        text += "  not " + std::string(name(other.algorithm)) + ": ";
        if (!other.possible)
            text += other.description + "\n";
        else if (other.workspace > state.environment.workspace_limit)
            text += "needs " + base::describe(other.workspace) + " of workspace or more\n";
        else
            text += describe_ratio(other.seconds, summary.seconds) + " (" +
                    describe_seconds(other.seconds) + ", workspace " +
                    base::describe(other.workspace) + "): " + other.description + "\n";
    }
    return text;
}

} // namespace tenfold::contract_impl
