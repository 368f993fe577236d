#include "contract/front/plan_state.hpp"

#include <algorithm>
#include <cstdint>

#include <tenfold/error.hpp>

#include "contract/epilogues/finished_candidate.hpp"
#include "contract/products/leaves.hpp"
#include "reproducible/finish.hpp"

namespace tenfold::contract_impl {
namespace {

/// Returns the requested option. Throws errc::unsupported if it is not possible.
const option &requested_option(const std::vector<option> &options, algorithm requested) {
    const auto found = std::find_if(options.begin(), options.end(), [requested](const option &one) {
        return one.algorithm() == requested;
    });
    const std::string who = "algorithm '" + std::string(name(requested)) + "'";
    if (found == options.end())
        throw error(errc::unsupported,
                    who + (requested == algorithm::leaves ? " is that of reproducible contractions"
                                                          : " is not available in this version"));
    if (found->choice == nullptr)
        throw error(errc::unsupported, who + " cannot do this contraction: " + found->impossible);
    return *found;
}

/// The cheapest one within the limit, which options come sorted for; null if there is none. Before
/// one that copies goes one that copies nothing and costs the same, as far as predictions tell:
/// what they leave out, pages and neighbours, costs copies most (docs/adr/0010). The last resort is
/// never taken for another's lack of workspace: it would be slower by orders of magnitude, and
/// nobody asked for it.
const option *cheapest_option(const std::vector<option> &options, byte_count limit) {
    constexpr double alike = 1.03;
    const option *best = &options.front();
    if (best->kind->last_resort)
        return best; // nothing else is possible
    best = nullptr;
    double most_seconds = 0;
    for (const option &one : options) {
        if (one.choice == nullptr || one.choice->workspace() > limit || one.kind->last_resort)
            continue;
        if (best == nullptr)
            most_seconds = alike * one.choice->seconds();
        if (best == nullptr ||
            (one.choice->seconds() <= most_seconds && one.kind->copies == copying::nothing &&
             best->kind->copies != copying::nothing))
            best = &one;
    }
    return best;
}

const option *pick(const std::vector<option> &options, algorithm requested, byte_count limit) {
    if (requested == algorithm::automatic)
        return cheapest_option(options, limit);
    const option &one = requested_option(options, requested);
    return one.choice->workspace() <= limit ? &one : nullptr;
}

[[noreturn]] void refuse_limit(const std::vector<option> &options, algorithm requested,
                               byte_count limit) {
    const option *least = nullptr;
    for (const option &one : options)
        if (one.choice != nullptr && !one.kind->last_resort &&
            (requested == algorithm::automatic || one.algorithm() == requested) &&
            (least == nullptr || one.choice->workspace() < least->choice->workspace()))
            least = &one;
    const std::string which = "algorithm '" + std::string(name(least->algorithm())) + "'";
    throw requested == algorithm::automatic
        ? workspace_refusal("this contraction", least->choice->workspace(), limit, ", by " + which)
        : workspace_refusal(which, least->choice->workspace(), limit);
}

constexpr byte_count no_limit{INT64_MAX};

void adopt(plan_state &state, const option &chosen, const std::vector<option> &options,
           const plan_environment &environment) {
    state.chosen = chosen.choice;
    state.environment.threads = environment.threads;
    plan_summary &summary = state.summary;
    summary.algorithm = chosen.algorithm();
    summary.candidates.clear();
    if (!environment.only_choice)
        for (const option &one : options)
            summary.candidates.push_back(summarise(one));
    summary.threads = environment.threads;
    summary.seconds = chosen.choice->seconds();
    summary.workspace = chosen.choice->workspace();
}

/// There is one candidate. Fewer threads, and smaller tiles, need less workspace.
void choose_leaves(plan_state &state, const contraction_spec &spec, algorithm requested) {
    reproducible_impl::check_choices(requested, state.environment.backend);
    const byte_count limit = state.environment.workspace_limit;
    const auto make = [&](int threads, byte_count room) {
        plan_environment environment = state.environment;
        environment.threads = threads;
        return with_epilogue(make_leaves(spec, state.problem, environment, threads, room),
                             environment);
    };
    const auto summarised = [](const candidate &one) {
        return candidate_summary{one.algorithm(), one.seconds(), one.workspace(),
                                 description_of(one), true};
    };
    int threads = state.environment.threads;
    state.chosen = make(threads, no_limit);
    if (state.chosen->workspace() > limit)
        state.summary.without_limit = summarised(*state.chosen);
    for (int fewer = threads; state.chosen->workspace() > limit && fewer >= 1; fewer /= 2)
        if (candidate_ptr one = make(fewer, limit); one->workspace() < state.chosen->workspace()) {
            state.chosen = std::move(one);
            threads = fewer;
        }
    if (state.chosen->workspace() > limit)
        throw workspace_refusal("a reproducible contraction", state.chosen->workspace(), limit);
    state.environment.threads = threads;
    plan_summary &summary = state.summary;
    summary.algorithm = state.chosen->algorithm();
    summary.candidates = {summarised(*state.chosen)};
    summary.threads = threads;
    summary.seconds = state.chosen->seconds();
    summary.workspace = state.chosen->workspace();
}

/// Fewer threads need less workspace, and may be faster under a limit.
void choose_within_limit(plan_state &state, algorithm requested) {
    plan_environment environment = state.environment;
    const byte_count limit = environment.workspace_limit;
    std::vector<option> options;
    for (; environment.threads >= 1; environment.threads /= 2) {
        options = enumerate_candidates(state.problem, environment);
        const option *best = pick(options, requested, limit);
        if (best != nullptr &&
            (state.chosen == nullptr || best->choice->seconds() < state.chosen->seconds()))
            adopt(state, *best, options, environment);
    }
    if (state.chosen == nullptr)
        refuse_limit(options, requested, limit);
}

} // namespace

std::string description_of(const candidate &one) {
    const std::string epilogue = one.describe_epilogue();
    return one.describe() + (epilogue.empty() ? "" : ", " + epilogue);
}

candidate_summary summarise(const option &one) {
    if (one.choice == nullptr)
        return {one.algorithm(), 0, {}, one.impossible, false};
    return {one.algorithm(), one.choice->seconds(), one.choice->workspace(),
            description_of(*one.choice), true};
}

workspace_refusal::workspace_refusal(const std::string &who, byte_count least, byte_count limit,
                                     const std::string &how)
    : error(errc::workspace_too_small,
            who + " needs at least " + std::to_string(least.value) + " bytes of workspace" + how +
                ", but the limit is " + std::to_string(limit.value),
            {.least = least}) {}

void choose(plan_state &state, const contraction_spec &spec, algorithm requested) {
    if (state.environment.reproducible)
        return choose_leaves(state, spec, requested);
    plan_environment unlimited = state.environment;
    unlimited.workspace_limit = no_limit;
    const auto options = enumerate_candidates(state.problem, unlimited);
    const option &best = *pick(options, requested, no_limit);
    if (best.choice->workspace() <= state.environment.workspace_limit)
        return adopt(state, best, options, unlimited);
    state.summary.without_limit = summarise(best);
    choose_within_limit(state, requested);
}

} // namespace tenfold::contract_impl
