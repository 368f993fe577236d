#include "transpose/tune.hpp"

#include "base/context_of.hpp"
#include "base/text.hpp"
#include "transpose/plan/explain.hpp"
#include "transpose/scratch.hpp"
#include "tuning/tuner.hpp"

namespace tenfold::transpose_impl {
namespace {

class tuner final : public tuning_impl::tuner<wise_choice> {
public:
    tuner(transpose_plan::state &plan, const tuning_request &request,
          const instrument_maker &make_instrument)
        : tuning_impl::tuner<wise_choice>(request.level, request.known), plan_(plan),
          request_(request), make_instrument_(make_instrument) {}

    void run() {
        std::string text;
        for (const bool accumulates : {false, true}) {
            const bool searches =
                request_.level == tuning::patient ||
                (request_.level == tuning::measure && accumulates == request_.accumulates);
            accumulates_ = accumulates;
            const std::string how =
                tune(wisdom_key(plan_.problem, plan_.moved_a, plan_.moved_b, plan_.conjugate,
                                accumulates, request_.ctx.isa(), plan_.threads),
                     searches);
            if (how.empty())
                continue;
            text += accumulates ? "tuning   beta != 0: " : "tuning   ";
            text += how + "\n";
        }
        plan_.tuning = (text.empty() ? "tuning   estimate\n" : text) + faults("wisdom   ");
        plan_.seconds = predict_seconds(plan_.overwrites, request_.ctx);
    }

private:
    wise_choice search(tuning level) override {
        tuning_impl::check_scratch(scratch_bytes(plan_), request_.ctx);
        if (instrument_ == nullptr)
            instrument_ = make_instrument_(plan_, effort_of(level).seconds);
        const search_result found =
            transpose_impl::search([&](const schedule_options &choices) { return make(choices); },
                                   base::machine_of(request_.ctx), effort_of(level), *instrument_);
        if (!found.refusal.empty())
            throw error(errc::unsupported, found.refusal);
        return {{found, level}, found.choices};
    }

    bool adopt(const wise_choice &choice) override {
        (accumulates_ ? plan_.accumulates : plan_.overwrites) = make(choice.choices);
        return true;
    }

    /// Returns "strip 32, ahead 4 (1.12 x the estimate, 9 candidates, 0.4 s)".
    std::string describe(const wise_choice &choice) const override {
        const std::string gain =
            choice.gain > 1 ? base::format("%.2f x the estimate, ", choice.gain) : "";
        return choice.text() + " (" + gain + effort_text(choice) + ")";
    }

    schedule make(const schedule_options &choices) const {
        return plan_.scheduled(accumulates_, base::machine_of(request_.ctx), choices);
    }

    transpose_plan::state &plan_;
    const tuning_request &request_;
    const instrument_maker &make_instrument_;
    std::unique_ptr<instrument> instrument_;
    bool accumulates_ = false; ///< which schedule is being tuned
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
