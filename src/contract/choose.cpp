#include "contract/plan_state.hpp"

#include <algorithm>

#include <tenfold/error.hpp>

#include "base/size_text.hpp"

namespace tenfold::contract_impl {
namespace {

candidate_summary summarise(const option &one) {
    if (one.choice == nullptr)
        return {one.algorithm, 0, {}, one.impossible, false};
    return {one.algorithm, one.choice->seconds(), one.choice->workspace(), one.choice->describe(),
            true};
}

[[noreturn]] void refuse_limit(const std::string &who, byte_count needed, byte_count limit) {
    throw error(errc::workspace_too_small, who + " needs at least " + std::to_string(needed.value) +
                                               " bytes of workspace, but the limit is " +
                                               std::to_string(limit.value));
}

candidate_ptr pick_requested(const std::vector<option> &options, algorithm requested,
                             byte_count limit) {
    const auto found = std::find_if(options.begin(), options.end(), [requested](const option &one) {
        return one.algorithm == requested;
    });
    const std::string who = "algorithm '" + std::string(name(requested)) + "'";
    if (found == options.end())
        throw error(errc::unsupported, who + " is not available in this version");
    if (found->choice == nullptr)
        throw error(errc::unsupported, who + " cannot do this contraction: " + found->impossible);
    if (found->choice->workspace() > limit)
        refuse_limit(who, found->choice->workspace(), limit);
    return found->choice;
}

candidate_ptr pick_cheapest(const std::vector<option> &options, byte_count limit) {
    byte_count least{INT64_MAX};
    for (const option &one : options) {
        if (one.choice == nullptr)
            continue;
        if (one.choice->workspace() <= limit)
            return one.choice;
        least = std::min(least, one.choice->workspace());
    }
    refuse_limit("this contraction", least, limit);
}

} // namespace

void choose(contraction_plan::state &state, const std::vector<option> &options, algorithm requested,
            byte_count workspace_limit) {
    state.chosen = requested == algorithm::automatic
                       ? pick_cheapest(options, workspace_limit)
                       : pick_requested(options, requested, workspace_limit);
    state.summary.algorithm = state.chosen->algorithm();
    state.summary.seconds = state.chosen->seconds();
    state.summary.workspace = state.chosen->workspace();
    for (const option &one : options)
        state.summary.candidates.push_back(summarise(one));
}

} // namespace tenfold::contract_impl
