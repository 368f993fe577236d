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
    return contract_impl::run_with(
        *state_, with, [&](const plan_state &state, const execution_means &means) noexcept {
            if (state.sequence)
                return status(errc::invalid_argument);
            return contract_impl::execute(
                state, {state.own_alpha(alpha), a, b, state.own_beta(beta), c}, d, means);
        });
}

status contraction_plan::execute(scalar alpha, std::span<const void *const> inputs, scalar beta,
                                 const void *c, void *d, const executor &with) const noexcept {
    return execute({.alpha = alpha, .inputs = inputs, .beta = beta, .c = c, .d = d}, with);
}

status contraction_plan::execute(const contraction_data &data,
                                 const executor &with) const noexcept {
    return contract_impl::run_with(
        *state_, with, [&](const plan_state &state, const execution_means &means) noexcept {
            const scalar alpha = state.own_alpha(data.alpha), beta = state.own_beta(data.beta);
            const std::size_t count = contract_impl::inputs_of(state);
            if (data.inputs.size() != count)
                return status(errc::invalid_argument);
            if (state.sequence)
                return contract_impl::execute_sequence(
                    state, {alpha, data.inputs, beta, data.c, data.epilogue}, data.d, means);
            return contract_impl::execute(state,
                                          {alpha, data.inputs[0],
                                           count > 1 ? data.inputs[1] : nullptr, beta, data.c,
                                           data.epilogue},
                                          data.d, means);
        });
}

} // namespace tenfold
