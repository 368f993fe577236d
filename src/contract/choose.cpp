#include "contract/plan_state.hpp"

#include <algorithm>
#include <optional>

#include <tenfold/error.hpp>

namespace tenfold::contract_impl {
namespace {

/// The option that was asked for. Throws errc::unsupported where it cannot serve.
const option &requested_option(const std::vector<option> &options, algorithm requested) {
    const auto found = std::find_if(options.begin(), options.end(), [requested](const option &one) {
        return one.algorithm == requested;
    });
    const std::string who = "algorithm '" + std::string(name(requested)) + "'";
    if (found == options.end())
        throw error(errc::unsupported, who + " is not available in this version");
    if (found->choice == nullptr)
        throw error(errc::unsupported, who + " cannot do this contraction: " + found->impossible);
    return *found;
}

/// The cheapest one within the limit, which options come sorted for; null if there is none. The
/// reference is never taken for another's lack of workspace: it would be slower by orders of
/// magnitude, and nobody asked for it.
const option *cheapest_option(const std::vector<option> &options, byte_count limit) {
    const option *first = &options.front();
    if (first->algorithm == algorithm::reference)
        return first; // nothing else is possible
    const auto found = std::find_if(options.begin(), options.end(), [limit](const option &one) {
        return one.choice != nullptr && one.choice->workspace() <= limit &&
               one.algorithm != algorithm::reference;
    });
    return found == options.end() ? nullptr : &*found;
}

const option *pick(const std::vector<option> &options, algorithm requested, byte_count limit) {
    if (requested == algorithm::automatic)
        return cheapest_option(options, limit);
    const option &one = requested_option(options, requested);
    return one.choice->workspace() <= limit ? &one : nullptr;
}

[[noreturn]] void refuse_limit(const std::vector<option> &options, algorithm requested,
                               byte_count limit) {
    byte_count least{INT64_MAX};
    for (const option &one : options)
        if (one.choice != nullptr && one.algorithm != algorithm::reference &&
            (requested == algorithm::automatic || one.algorithm == requested))
            least = std::min(least, one.choice->workspace());
    const std::string who = requested == algorithm::automatic
                                ? "this contraction"
                                : "algorithm '" + std::string(name(requested)) + "'";
    throw workspace_refusal(who, least, limit);
}

/// What a reproducible plan computes must not depend on the number of threads, and workspace does.
algorithm decide_for_one_thread(const contraction_plan::state &state,
                                plan_environment environment) {
    environment.threads = 1;
    const auto options = enumerate_candidates(state.problem, environment);
    const option *chosen = cheapest_option(options, environment.workspace_limit);
    if (chosen == nullptr)
        refuse_limit(options, algorithm::automatic, environment.workspace_limit);
    return chosen->algorithm;
}

} // namespace

candidate_summary summarise(const option &one) {
    if (one.choice == nullptr)
        return {one.algorithm, 0, {}, one.impossible, false};
    return {one.algorithm, one.choice->seconds(), one.choice->workspace(), one.choice->describe(),
            true};
}

workspace_refusal::workspace_refusal(const std::string &who, byte_count least, byte_count limit)
    : error(errc::workspace_too_small, who + " needs at least " + std::to_string(least.value) +
                                           " bytes of workspace, but the limit is " +
                                           std::to_string(limit.value)),
      least_(least) {}

void choose(contraction_plan::state &state, algorithm requested) {
    plan_environment environment = state.environment;
    const byte_count limit = environment.workspace_limit;
    if (environment.reproducible && requested == algorithm::automatic)
        requested = decide_for_one_thread(state, environment);

    // Fewer threads need less workspace; under a limit they may be the faster choice.
    std::vector<option> options;
    for (int threads = environment.threads; threads >= 1; threads /= 2) {
        environment.threads = threads;
        options = enumerate_candidates(state.problem, environment);
        const option *best = pick(options, requested, limit);
        const bool better = best != nullptr && (state.chosen == nullptr ||
                                                best->choice->seconds() < state.chosen->seconds());
        if (better) {
            state.chosen = best->choice;
            state.environment = environment;
            state.summary.algorithm = best->algorithm;
            state.summary.candidates.clear();
            for (const option &one : options)
                state.summary.candidates.push_back(summarise(one));
        }
        const bool has_room = best != nullptr && best == &options.front();
        if (has_room || (state.chosen != nullptr && environment.reproducible))
            break;
    }
    if (state.chosen == nullptr)
        refuse_limit(options, requested, limit);
    state.summary.threads = state.environment.threads;
    state.summary.seconds = state.chosen->seconds();
    state.summary.workspace = state.chosen->workspace();
}

} // namespace tenfold::contract_impl
