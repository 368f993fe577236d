#include "contract/choose/tune.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/parallel.hpp"
#include "base/size_text.hpp"
#include "base/text.hpp"
#include "contract/choose/planner.hpp"
#include "contract/choose/scratch.hpp"
#include "contract/products/permute.hpp"
#include "tuning/measuring.hpp"

namespace tenfold::contract_impl {
namespace {

/// "1.30 x as fast as the estimate (6 candidates, 0.4 s)".
std::string describe(const wise_choice &choice) {
    const std::string effort = " (" + effort_text(choice) + ")";
    if (choice.gain <= 1)
        return "the estimate" + effort;
    return base::format("%.2f x as fast as the estimate", choice.gain) + effort;
}

byte_count sum(byte_count one, byte_count other) noexcept {
    return bytes(base::saturated_add(one.value, other.value));
}

/// One plan being tuned.
class tuner {
public:
    tuner(contraction_plan::state &plan, const tuning_request &request,
          const instrument_maker &make_instrument)
        : plan_(plan), request_(request), make_instrument_(make_instrument) {}

    void run() {
        const std::string how = tune_it();
        if (!how.empty())
            plan_.tuning = "  tuning: " + how + "\n";
        for (const auto &[what, fault] :
             {std::pair("ignored", &ignored_), {"not saved", &unsaved_}})
            if (!fault->empty())
                plan_.tuning += std::string("  wisdom ") + what + ": " + *fault + "\n";
    }

private:
    /// How the choice came about; empty: as estimated.
    std::string tune_it() {
        const bool searches = request_.level != tuning::estimate;
        const std::string key = wisdom_key(plan_.problem, plan_.environment, request_.requested);
        if (std::string how = recall(key); !how.empty() || !searches)
            return how;
        const std::lock_guard alone(base::measuring());
        // Another thread may just have measured the same.
        if (std::string how = recall(key); !how.empty())
            return how;
        const std::string level = std::string(name(request_.level)) + ": ";
        const tuning_effort &effort = effort_of(request_.level);
        search_result found;
        std::vector<candidate_ptr> field;
        try {
            if (const std::string why = obstacle(); !why.empty())
                throw error(errc::unsupported, why);
            field = contenders(effort);
            found = search_in(field, effort);
            if (!found.refusal.empty())
                throw error(errc::unsupported, found.refusal);
        } catch (const error &why) {
            return level + "the estimate, not measured: " + why.what();
        }
        const wise_choice choice{{found, request_.level}, choice_name(*field[found.best])};
        apply(field[found.best]);
        if (request_.known != nullptr)
            note(unsaved_, request_.known->remember(key, choice));
        return level + describe(choice);
    }

    /// Takes wisdom's choice, if it has one that was searched for as long as is asked.
    std::string recall(const std::string &key) {
        if (request_.known == nullptr)
            return {};
        const wisdom::answer answer = request_.known->look_up(key);
        note(ignored_, answer.fault);
        if (!answer.found || answer.found->level < request_.level)
            return {};
        for (const candidate_ptr &one : possible(effort_of(tuning::patient).of_each))
            if (choice_name(*one) == answer.found->choice) {
                apply(one);
                return std::string(name(answer.found->level)) + ": " + describe(*answer.found) +
                       ", from wisdom " + request_.known->file();
            }
        note(ignored_, request_.known->file() + ": its choice, '" + answer.found->choice +
                           "', is none of the candidates");
        return {};
    }

    /// What may be chosen, the estimate first, then by predicted seconds.
    std::vector<candidate_ptr> possible(std::size_t of_each) const {
        std::vector<candidate_ptr> all = {plan_.chosen};
        std::vector<std::string> names = {choice_name(*plan_.chosen)};
        plan_environment environment = plan_.environment;
        if (!plan_.summary.without_limit) // what the limit would shape is no better
            environment.workspace_limit = {INT64_MAX};
        for (const option &one : enumerate_candidates(plan_.problem, environment, of_each)) {
            const bool asked_for = request_.requested == algorithm::automatic
                                       ? !one.kind->last_resort
                                       : one.algorithm() == request_.requested;
            if (one.choice == nullptr || !asked_for ||
                one.choice->workspace() > plan_.environment.workspace_limit)
                continue;
            // Some arrangements of tensors with few modes come to the same.
            std::string name = choice_name(*one.choice);
            if (std::find(names.begin(), names.end(), name) != names.end())
                continue;
            all.push_back(one.choice);
            names.push_back(std::move(name));
        }
        return all;
    }

    /// Of these, what is worth measuring and fits the scratch memory that may be taken.
    std::vector<candidate_ptr> contenders(const tuning_effort &effort) const {
        const byte_count tensors = scratch_bytes(plan_.problem).value_or(byte_count{INT64_MAX});
        const byte_count limit = base::scratch_limit(*plan_.environment.ctx);
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
        return search(field, effort, *with);
    }

    /// Why there can be no measuring; empty: there can.
    std::string obstacle() const {
        if (omp_in_parallel())
            return "inside a parallel region other threads would be measured too";
        const byte_count limit = base::scratch_limit(*plan_.environment.ctx);
        const std::optional<byte_count> tensors = scratch_bytes(plan_.problem);
        if (!tensors)
            return "scratch memory would take more than 64 bits count";
        const byte_count need = sum(*tensors, plan_.chosen->workspace());
        if (need > limit)
            return "scratch memory would take " + base::describe(need) + ", the limit is " +
                   base::describe(limit);
        return {};
    }

    void apply(const candidate_ptr &one) {
        plan_summary &summary = plan_.summary;
        plan_.chosen = one;
        summary.algorithm = one->algorithm();
        summary.seconds = one->seconds();
        summary.workspace = one->workspace();
        // It may not have been the best of its algorithm by the cost model.
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

    /// The first fault is told; others follow from it.
    static void note(std::string &fault, const std::string &another) {
        if (fault.empty())
            fault = another;
    }

    contraction_plan::state &plan_;
    const tuning_request &request_;
    const instrument_maker &make_instrument_;
    std::string ignored_;
    std::string unsaved_;
};

} // namespace

void tune(contraction_plan::state &plan, const tuning_request &request,
          const instrument_maker &make_instrument) {
    if (plan.problem.empty_output() || plan.problem.empty_sum())
        return; // nothing is multiplied
    const bool is_transposition =
        is_permutation(plan.problem) && plan.chosen->algorithm() == algorithm::direct;
    if (is_transposition) { // and tuned as such when the candidate was made
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

std::unique_ptr<instrument> make_scratch_instrument(const contraction_plan::state &plan,
                                                    byte_count workspace, double seconds) {
    return std::make_unique<scratch_instrument>(plan, workspace, seconds);
}

} // namespace tenfold::contract_impl
