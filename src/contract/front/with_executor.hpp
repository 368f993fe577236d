// Runs an execution within the bounds of an executor, and records what it took.
#pragma once

#include <chrono>

#include <tenfold/executor.hpp>

#include "base/parallel.hpp"
#include "base/work.hpp"
#include "contract/front/plan_state.hpp"

namespace tenfold::contract_impl {

/// What an executor lets an execution of a plan use.
struct executor_bounds {
    executor_bounds(const plan_state &state, const executor &with) noexcept;

    int threads; ///< at most so many
    byte_count workspace_limit;
    status refusal = {}; ///< ok: the plan fits
};

/// Returns work(state, means), which executes the plan `times` times, returns a status, and puts
/// flops, bytes and workspace into the record of the means, if there is one.
template <class Work> status run_with(const kept_plan &plan, const executor &with, const Work &work,
                                      index_t times = 1) noexcept {
    using clock = std::chrono::steady_clock;
    const plan_state *const whole = plan.find_whole();
    if (whole == nullptr)
        return status(errc::out_of_memory);
    const plan_state &state = *whole;
    const auto start = with.record != nullptr ? clock::now() : clock::time_point();
    if (with.record != nullptr)
        *with.record = {};
    const executor_bounds bounds(state, with);
    if (!bounds.refusal)
        return bounds.refusal;
    base::team_bound team(bounds.threads);
    base::watched_call watched(with.control, state.summary.seconds * static_cast<double>(times));
    execution_record record;
    const execution_means means{.workspace = with.workspace,
                                .workspace_limit = bounds.workspace_limit,
                                .ctx = with.ctx,
                                .record = with.record != nullptr ? &record : nullptr};
    const status done = watched.outcome(watched.stops() ? status() : work(state, means));
    if (with.record != nullptr && done) {
        record.algorithm = state.summary.algorithm;
        record.threads = team.largest();
        record.seconds = std::chrono::duration<double>(clock::now() - start).count();
        *with.record = record;
    }
    return done;
}

} // namespace tenfold::contract_impl
