#include "transpose/scratch.hpp"

#include <tenfold/context.hpp>

#include "base/context_of.hpp"
#include "tensor/spanned_bytes.hpp"
#include "tuning/measuring.hpp"

namespace tenfold::transpose_impl {

std::optional<byte_count> scratch_bytes(const transpose_plan::state &plan) noexcept {
    const std::optional<index_t> a = tensor_impl::spanned_bytes(plan.a, plan.type_a);
    const std::optional<index_t> b = tensor_impl::spanned_bytes(plan.b, plan.type_b);
    index_t sum = 0;
    if (!a || !b || __builtin_add_overflow(*a, *b, &sum))
        return std::nullopt;
    return bytes(sum);
}

scratch_instrument::scratch_instrument(const transpose_plan::state &plan, const context &ctx,
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

} // namespace tenfold::transpose_impl
