#include "transpose/tune.hpp"

#include <mutex>

#include "base/parallel.hpp"
#include "base/size_text.hpp"
#include "base/text.hpp"
#include "transpose/plan/choices.hpp"
#include "transpose/plan/explain.hpp"
#include "transpose/scratch.hpp"
#include "tuning/measuring.hpp"

namespace tenfold::transpose_impl {
namespace {

/// "strip 32, ahead 4 (1.12 x the estimate, 9 candidates, 0.4 s)".
std::string describe(const wise_choice &choice) {
    const std::string gain =
        choice.gain > 1 ? base::format("%.2f x the estimate, ", choice.gain) : "";
    return describe(choice.choices) + " (" + gain + effort_text(choice) + ")";
}

/// Why there can be no measuring; empty: there can.
std::string obstacle(const transpose_plan::state &plan, const context &ctx) {
    if (omp_in_parallel())
        return "inside a parallel region other threads would be measured too";
    const byte_count limit = base::scratch_limit(ctx);
    const std::optional<byte_count> need = scratch_bytes(plan);
    if (!need || need->value > limit.value)
        return "scratch memory would take " +
               (need ? base::describe(*need) : "more than 64 bits count") + ", the limit is " +
               base::describe(limit);
    return {};
}

/// One plan being tuned.
class tuner {
public:
    tuner(transpose_plan::state &plan, const tuning_request &request,
          const instrument_maker &make_instrument)
        : plan_(plan), request_(request), make_instrument_(make_instrument) {}

    void run() {
        std::string text;
        for (const bool accumulates : {false, true}) {
            const bool searches =
                request_.level == tuning::patient ||
                (request_.level == tuning::measure && accumulates == request_.accumulates);
            const std::string how = tune_one(accumulates, searches);
            if (how.empty())
                continue;
            text += accumulates ? "tuning   beta != 0: " : "tuning   ";
            text += how + "\n";
        }
        plan_.tuning = (text.empty() ? "tuning   estimate\n" : text);
        for (const auto &[what, fault] :
             {std::pair("ignored", &ignored_), {"not saved", &unsaved_}})
            if (!fault->empty())
                plan_.tuning += std::string("wisdom   ") + what + ": " + *fault + "\n";
        plan_.seconds = predict_seconds(plan_.overwrites, request_.ctx);
    }

private:
    /// How one schedule came about; empty: as estimated.
    std::string tune_one(bool accumulates, bool searches) {
        const std::string key =
            request_.known == nullptr
                ? std::string()
                : wisdom_key(plan_.problem, plan_.moved_a, plan_.moved_b, plan_.conjugate,
                             accumulates, request_.ctx.isa(), plan_.threads);
        if (std::string how = recall(key, accumulates, searches); !how.empty() || !searches)
            return how;
        const std::string level = std::string(name(request_.level)) + ": ";
        const std::lock_guard alone(base::measuring());
        // Another thread may just have measured the same.
        if (std::string how = recall(key, accumulates, searches); !how.empty())
            return how;
        const auto stays = [&](const std::string &why) {
            return level + "the estimate, not measured: " + why;
        };
        if (const std::string why = obstacle(plan_, request_.ctx); !why.empty())
            return stays(why);
        search_result found;
        try {
            found = search_for(accumulates);
        } catch (const error &what) { // no scratch memory
            return stays(what.what());
        }
        if (!found.refusal.empty())
            return stays(found.refusal);
        const wise_choice choice{{found, request_.level}, found.choices};
        apply(accumulates, choice.choices);
        if (request_.known != nullptr)
            note(unsaved_, request_.known->remember(key, choice));
        return level + describe(choice);
    }

    search_result search_for(bool accumulates) {
        if (instrument_ == nullptr)
            instrument_ = make_instrument_(plan_, effort_of(request_.level).seconds);
        return search([&](const schedule_options &choices) { return make(accumulates, choices); },
                      request_.ctx.machine(), effort_of(request_.level), *instrument_);
    }

    /// Takes wisdom's choice, if it has one that was searched for as long as is asked.
    std::string recall(const std::string &key, bool accumulates, bool searches) {
        if (request_.known == nullptr)
            return {};
        const wisdom::answer answer = request_.known->look_up(key);
        note(ignored_, answer.fault);
        if (!answer.found || (searches && answer.found->level < request_.level))
            return {};
        apply(accumulates, answer.found->choices);
        return std::string(name(answer.found->level)) + ": " + describe(*answer.found) +
               ", from wisdom " + request_.known->file();
    }

    schedule make(bool accumulates, const schedule_options &choices) const {
        return plan_.scheduled(accumulates, request_.ctx.machine(), choices);
    }

    void apply(bool accumulates, const schedule_options &choices) {
        (accumulates ? plan_.accumulates : plan_.overwrites) = make(accumulates, choices);
    }

    /// The first fault is told; others follow from it.
    static void note(std::string &fault, const std::string &another) {
        if (fault.empty())
            fault = another;
    }

    transpose_plan::state &plan_;
    const tuning_request &request_;
    const instrument_maker &make_instrument_;
    std::unique_ptr<instrument> instrument_;
    std::string ignored_;
    std::string unsaved_;
};

} // namespace

void tune(transpose_plan::state &plan, const tuning_request &request,
          const instrument_maker &make_instrument) {
    if (!plan.problem.empty)
        tuner(plan, request, make_instrument).run();
}

instrument_maker scratch_instruments(const context &ctx) {
    return [&ctx](const transpose_plan::state &plan, double seconds) {
        return std::make_unique<scratch_instrument>(plan, ctx, seconds);
    };
}

} // namespace tenfold::transpose_impl
