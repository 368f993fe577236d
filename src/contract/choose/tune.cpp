#include "contract/choose/tune.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "contract/choose/planner.hpp"
#include "contract/choose/scratch.hpp"
#include "contract/products/permute.hpp"
#include "tuning/tuner.hpp"

namespace tenfold::contract_impl {
namespace {

byte_count sum(byte_count one, byte_count other) noexcept {
    return bytes(base::saturated_add(one.value, other.value));
}

class tuner final : public tuning_impl::tuner<wise_choice> {
public:
    tuner(plan_state &plan, const tuning_request &request, const instrument_maker &make_instrument)
        : tuning_impl::tuner<wise_choice>(request.level, request.known), plan_(plan),
          request_(request), make_instrument_(make_instrument) {}

    void run() {
        const std::string how =
            tune(wisdom_key(plan_.problem, plan_.environment, request_.requested),
                 request_.level != tuning::estimate);
        if (!how.empty())
            plan_.tuning = "  tuning: " + how + "\n";
        plan_.tuning += faults("  wisdom ");
    }

private:
    wise_choice search(tuning level) override {
        const std::optional<byte_count> tensors = scratch_bytes(plan_.problem);
        const context &ctx = *plan_.environment.ctx;
        tuning_impl::check_scratch(
            tensors ? std::optional(sum(*tensors, plan_.chosen->workspace())) : std::nullopt, ctx);
        const tuning_effort &effort = effort_of(level);
        field_ = contenders(effort);
        const search_result found = search_in(field_, effort);
        if (!found.refusal.empty())
            throw error(errc::unsupported, found.refusal);
        return {{found, level}, choice_name(*field_[found.best])};
    }

    bool adopt(const wise_choice &choice) override {
        if (field_.empty()) // only wisdom is used, without a search
            field_ = possible(effort_of(tuning::patient).of_each);
        for (const candidate_ptr &one : field_)
            if (choice_name(*one) == choice.choice) {
                apply(one);
                return true;
            }
        return false;
    }

    /// "1.30 x as fast as the estimate (6 candidates, 0.4 s)".
    std::string describe(const wise_choice &choice) const override {
        const std::string effort = " (" + effort_text(choice) + ")";
        if (choice.gain <= 1)
            return "the estimate" + effort;
        return base::format("%.2f x as fast as the estimate", choice.gain) + effort;
    }

    /// The candidates that may be chosen: the estimate, then the others by predicted seconds.
    std::vector<candidate_ptr> possible(std::size_t of_each) const {
        std::vector<candidate_ptr> all = {plan_.chosen};
        std::vector<std::string> names = {choice_name(*plan_.chosen)};
        plan_environment environment = plan_.environment;
        if (!plan_.summary.without_limit) // the limit only makes candidates worse
            environment.workspace_limit = {INT64_MAX};
        for (const option &one : enumerate_candidates(plan_.problem, environment, of_each)) {
            const bool asked_for = request_.requested == algorithm::automatic
                                       ? !one.kind->last_resort
                                       : one.algorithm() == request_.requested;
            if (one.choice == nullptr || !asked_for ||
                one.choice->workspace() > plan_.environment.workspace_limit)
                continue;
            // With few modes, some arrangements give the same candidate.
            std::string name = choice_name(*one.choice);
            if (std::find(names.begin(), names.end(), name) != names.end())
                continue;
            all.push_back(one.choice);
            names.push_back(std::move(name));
        }
        return all;
    }

    /// Those of them that are worth measuring and fit the available scratch memory.
    std::vector<candidate_ptr> contenders(const tuning_effort &effort) const {
        const byte_count tensors = scratch_bytes(plan_.problem).value_or(byte_count{INT64_MAX});
        const byte_count limit = tuning_impl::scratch_limit(*plan_.environment.ctx);
        std::vector<candidate_ptr> field;
        for (candidate_ptr &one : possible(effort.of_each))
            if (one == plan_.chosen || (one->seconds() < effort.reach * plan_.chosen->seconds() &&
                                        sum(tensors, one->workspace()) <= limit))
                field.push_back(std::move(one));
        if (field.size() < 2)
            throw error(errc::unsupported, "there is no other candidate");
        return field;
    }

    search_result search_in(const std::vector<candidate_ptr> &field, const tuning_effort &effort) {
        byte_count workspace{};
        for (const candidate_ptr &one : field)
            workspace = std::max(workspace, one->workspace());
        const std::unique_ptr<instrument> with = make_instrument_(plan_, workspace, effort.seconds);
        return contract_impl::search(field, effort, *with);
    }

    void apply(const candidate_ptr &one) {
        plan_summary &summary = plan_.summary;
        plan_.chosen = one;
        summary.algorithm = one->algorithm();
        summary.seconds = one->seconds();
        summary.workspace = one->workspace();
        // The tuned candidate may not be the one that the cost model prefers for its algorithm.
        const auto its_own = std::find_if(
            summary.candidates.begin(), summary.candidates.end(),
            [&](const candidate_summary &other) { return other.algorithm == one->algorithm(); });
        if (its_own != summary.candidates.end())
            *its_own = summarise({&kind_of(one->algorithm()), one, {}});
        const auto end =
            std::find_if(summary.candidates.begin(), summary.candidates.end(),
                         [](const candidate_summary &other) {
                             return !other.possible || kind_of(other.algorithm).last_resort;
                         });
        std::stable_sort(summary.candidates.begin(), end,
                         [](const candidate_summary &x, const candidate_summary &y) {
                             return x.seconds < y.seconds;
                         });
    }

    plan_state &plan_;
    const tuning_request &request_;
    const instrument_maker &make_instrument_;
    std::vector<candidate_ptr> field_; ///< the candidates among which a choice is looked up
};

} // namespace

void tune(plan_state &plan, const tuning_request &request,
          const instrument_maker &make_instrument) {
    if (plan.problem.empty_output() || plan.problem.empty_sum())
        return; // nothing is multiplied
    const bool is_transposition =
        is_permutation(plan.problem) && plan.chosen->algorithm() == algorithm::direct;
    if (is_transposition) { // was tuned as such when the candidate was made
        if (plan.environment.tuning != tuning::estimate)
            plan.tuning =
                "  tuning: " + std::string(name(request.level)) + ": of the transposition\n";
        return;
    }
    if (!plan.environment.reproducible)
        tuner(plan, request, make_instrument).run();
    else if (request.level != tuning::estimate)
        plan.tuning = "  tuning: " + std::string(name(request.level)) +
                      ": the estimate, not measured: what is reproducible must not depend on what "
                      "was measured\n";
}

std::unique_ptr<instrument> make_scratch_instrument(const plan_state &plan, byte_count workspace,
                                                    double seconds) {
    return std::make_unique<scratch_instrument>(plan, workspace, seconds);
}

} // namespace tenfold::contract_impl
