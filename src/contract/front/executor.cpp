// Executions with an executor.
#include <tenfold/executor.hpp>

#include <algorithm>

#include "base/option_checks.hpp"
#include "contract/front/with_executor.hpp"

namespace tenfold {

using contract_impl::execution_means;
using contract_impl::plan_state;

contract_impl::executor_bounds::executor_bounds(const plan_state &state,
                                                const executor &with) noexcept
    : threads(with.threads), workspace_limit{INT64_MAX} {
    if (with.ctx != nullptr) {
        workspace_limit = with.ctx->settings().workspace_limit;
        if (threads == 0)
            threads = with.ctx->threads();
    }
    workspace_limit = with.workspace_limit.value_or(workspace_limit);
    if (threads < 0 || threads > base::most_threads || workspace_limit.value < 0)
        refusal = status(errc::invalid_argument);
    else if (state.summary.workspace > workspace_limit)
        refusal = status(errc::workspace_too_small);
    threads = threads == 0 ? state.summary.threads : std::min(threads, state.summary.threads);
}

status contraction_plan::execute(scalar alpha, const void *a, const void *b, scalar beta,
                                 const void *c, void *d, const executor &with) const noexcept {
    const plan_state &state = *state_;
    return contract_impl::run_with(state, with, [&](const execution_means &means) noexcept {
        if (state.sequence)
            return status(errc::invalid_argument);
        return contract_impl::execute(
            state, {state.own_alpha(alpha), a, b, state.own_beta(beta), c}, d, means);
    });
}

status contraction_plan::execute(scalar alpha, std::span<const void *const> inputs, scalar beta,
                                 const void *c, void *d, const executor &with) const noexcept {
    const plan_state &state = *state_;
    if (!state.sequence && inputs.size() == (state.problem.unary ? 1 : 2))
        return execute(alpha, inputs[0], inputs.size() > 1 ? inputs[1] : nullptr, beta, c, d, with);
    return contract_impl::run_with(state, with, [&](const execution_means &means) noexcept {
        if (!state.sequence || inputs.size() != state.sequence->input_elements.size())
            return status(errc::invalid_argument);
        return contract_impl::execute_sequence(
            state, {state.own_alpha(alpha), inputs, state.own_beta(beta), c}, d, means);
    });
}

} // namespace tenfold
