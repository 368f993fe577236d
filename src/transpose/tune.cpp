#include "transpose/tune.hpp"

#include "base/context_of.hpp"
#include "base/text.hpp"
#include "tensor/spanned_bytes.hpp"
#include "tuning/measuring.hpp"
#include "tuning/tuner.hpp"

namespace tenfold::transpose_impl {
namespace {

class tuner final : public tuning_impl::tuner<wise_choice> {
public:
    tuner(plan_state &plan, const tuning_request &request, const instrument_maker &make_instrument)
        : tuning_impl::tuner<wise_choice>(request.level, request.known), plan_(plan),
          request_(request), make_instrument_(make_instrument) {}

    void run() {
        std::string text;
        for (const bool accumulates : {false, true}) {
            const bool searches =
                request_.level == tuning::patient ||
                (request_.level == tuning::measure && accumulates == request_.accumulates);
            accumulates_ = accumulates;
            const std::string how = tune(wisdom_key(plan_.problem, plan_.movement_of(accumulates),
                                                    plan_.conjugate, request_.ctx.isa()),
                                         searches);
            if (how.empty())
                continue;
            text += accumulates ? "tuning   beta != 0: " : "tuning   ";
            text += how + "\n";
        }
        plan_.tuning = (text.empty() ? std::string(estimated) : text) + faults("wisdom   ");
        plan_.predict(request_.ctx);
    }

private:
    wise_choice search(tuning level) override {
        tuning_impl::check_scratch(scratch_bytes(plan_), request_.ctx);
        const double now = tuning_impl::seconds_since_start();
        tuning_effort effort = effort_of(level);
        if (request_.seconds) {
            began_ = began_.value_or(now);
            const double left = *began_ + *request_.seconds - now;
            const bool another_follows = level == tuning::patient && !accumulates_;
            effort = limited(effort, another_follows ? left / 2 : left);
        }
        if (instrument_ == nullptr)
            instrument_ = make_instrument_(plan_, effort.seconds);
        if (request_.seconds)
            effort.seconds -= tuning_impl::seconds_since_start() - now;
        const search_result found =
            transpose_impl::search([&](const schedule_options &choices) { return make(choices); },
                                   base::machine_of(request_.ctx), effort, *instrument_);
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

    plan_state &plan_;
    const tuning_request &request_;
    const instrument_maker &make_instrument_;
    std::unique_ptr<instrument> instrument_;
    bool accumulates_ = false;    ///< which schedule is being tuned
    std::optional<double> began_; ///< the first search, if it is limited
};

} // namespace

void tune(plan_state &plan, const tuning_request &request,
          const instrument_maker &make_instrument) {
    if (!plan.problem.empty)
        tuner(plan, request, make_instrument).run();
}

std::optional<byte_count> scratch_bytes(const plan_state &plan) noexcept {
    const std::optional<index_t> a = tensor_impl::spanned_bytes(plan.a, plan.type_a);
    const std::optional<index_t> b = tensor_impl::spanned_bytes(plan.b, plan.type_b);
    index_t sum = 0;
    if (!a || !b || __builtin_add_overflow(*a, *b, &sum))
        return std::nullopt;
    return bytes(sum);
}

scratch_instrument::scratch_instrument(const plan_state &plan, const context &ctx,
                                       double most_seconds)
    : plan_(plan) {
    const double began = now();
    const double deadline = began + most_seconds;
    const auto take_for = [&](const layout &shape, data_type type) {
        return tuning_impl::scratch_memory(
            pool_, bytes(tensor_impl::spanned_bytes(shape, type).value_or(INT64_MAX)), plan.threads,
            deadline);
    };
    const int sets = tuning_impl::sets_in_turn(base::machine_of(ctx), plan.threads,
                                               scratch_bytes(plan).value_or(bytes(INT64_MAX)),
                                               tuning_impl::scratch_limit(ctx));
    do
        sets_.push_back({take_for(plan.a, plan.type_a), take_for(plan.b, plan.type_b)});
    while (static_cast<int>(sets_.size()) < sets &&
           now() < began + tuning_impl::share_for_sets * most_seconds);
}

double scratch_instrument::take(const schedule &candidate, int executions) {
    (candidate.accumulates ? plan_.accumulates : plan_.overwrites) = candidate;
    const scalar beta = candidate.accumulates ? 1.0 : 0.0;
    const double before = now();
    for (int k = 0; k < executions; ++k) {
        const tensors &mine = sets_[turn_];
        turn_ = (turn_ + 1) % sets_.size();
        const std::byte *a = mine.a.memory().data() - plan_.a.lowest() * size_of(plan_.type_a);
        std::byte *b = mine.b.memory().data() - plan_.b.lowest() * size_of(plan_.type_b);
        // Cannot fail: pointers, types and overlap have been checked.
        static_cast<void>(plan_.execute(1.0, a, beta, b));
    }
    return now() - before;
}

double scratch_instrument::seconds(const schedule &candidate) {
    int &executions = executions_[candidate.accumulates ? 1 : 0];
    if (executions == 0)
        executions =
            tuning_impl::repetitions_per_sample([&](int count) { return take(candidate, count); });
    return take(candidate, executions) / executions;
}

instrument_maker scratch_instruments(const context &ctx) {
    return [&ctx](const plan_state &plan, double seconds) {
        return std::make_unique<scratch_instrument>(plan, ctx, seconds);
    };
}

} // namespace tenfold::transpose_impl
