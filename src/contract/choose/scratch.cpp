#include "contract/choose/scratch.hpp"

#include "base/scalars.hpp"
#include "tensor/spanned_bytes.hpp"
#include "tuning/measuring.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::A;
using einsum_impl::B;
using einsum_impl::contraction_problem;
using einsum_impl::D;
using einsum_impl::tensor_id;

} // namespace

std::optional<byte_count> scratch_bytes(const contraction_problem &problem) noexcept {
    index_t sum = 0;
    for (const tensor_id t : einsum_impl::all_but_c) {
        const auto span = tensor_impl::spanned_bytes(problem.touched[t], problem.type[t]);
        if (!span || __builtin_add_overflow(sum, *span, &sum))
            return std::nullopt;
    }
    return bytes(sum);
}

scratch_instrument::scratch_instrument(const plan_state &plan, byte_count workspace,
                                       double most_seconds) {
    const contraction_problem &problem = plan.problem;
    const double deadline = now() + most_seconds;
    const auto take_bytes = [&](index_t size) {
        return tuning_impl::scratch_memory(pool_, bytes(size), plan.environment.threads, deadline);
    };
    const auto take_for = [&](tensor_id t) {
        return take_bytes(
            tensor_impl::spanned_bytes(problem.touched[t], problem.type[t]).value_or(INT64_MAX));
    };
    const auto origin = [&](const base::workspace_lease &lease, tensor_id t) {
        return lease.memory().data() - problem.touched[t].lowest() * size_of(problem.type[t]);
    };
    a_ = take_for(A);
    from_a_ = origin(a_, A);
    if (problem.unary) {
        from_b_ = base::one_of(problem.computed);
    } else {
        b_ = take_for(B);
        from_b_ = origin(b_, B);
    }
    d_ = take_for(D);
    to_d_ = origin(d_, D);
    workspace_ = take_bytes(workspace.value);
}

double scratch_instrument::take(const candidate &one, int executions) const {
    const double before = now();
    for (int k = 0; k < executions; ++k)
        one.execute({1.0, from_a_, from_b_, 0.0, to_d_}, to_d_, workspace_.memory().data());
    return now() - before;
}

double scratch_instrument::seconds(const candidate &one) {
    if (executions_ == 0)
        executions_ =
            tuning_impl::repetitions_per_sample([&](int count) { return take(one, count); });
    return take(one, executions_) / executions_;
}

} // namespace tenfold::contract_impl
