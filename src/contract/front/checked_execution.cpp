#include "contract/front/checked_execution.hpp"

#include <algorithm>

#include "base/scalars.hpp"
#include "base/work.hpp"

namespace tenfold::contract_impl {

using einsum_impl::C;
using einsum_impl::D;

checked_execution::checked_execution(const plan_state &state, const sources &from) noexcept
    : state_(state), x_(from) {
    const data_type type = state.problem.type[D];
    x_.alpha = base::round_to(type, from.alpha);
    x_.beta = base::round_to(type, from.beta);
    multiplies_ = x_.alpha != 0.0 && !state.facts.empty_sum;
    only_copies_ = !multiplies_ && !state.environment.reproducible;
    if (!multiplies_)
        x_.alpha = 0.0;
}

bool checked_execution::copies(const void *c, const void *d) const noexcept {
    const bool c_is_d = c == d && state_.problem.same_c_and_d && !state_.problem.conjugate[C];
    return only_copies_ || (reads_c() && !c_is_d && !state_.chosen->reads_any_c());
}

bool checked_execution::plan_copy() noexcept {
    try {
        copy_ = &state_.copy_c.get(state_.problem, state_.environment);
        return true;
    } catch (...) {
        return false;
    }
}

sources checked_execution::with_scalars(const sources &at) const noexcept {
    return {x_.alpha, at.a, state_.problem.unary ? base::one_of(state_.problem.computed) : at.b,
            x_.beta, at.c};
}

status checked_execution::run(const sources &at, void *d, std::byte *workspace) const noexcept {
    if (only_copies_)
        return copy_->execute(x_.beta, at.c, 0.0, d);
    sources x = with_scalars(at);
    if (state_.chosen->reads_any_c()) {
        state_.chosen->execute(x, d, workspace);
        return {};
    }
    double share = 1; // of the multiplication
    if (copies(at.c, d)) {
        const double copying = copy_->predicted_seconds();
        share = state_.chosen->seconds() / std::max(1e-12, copying + state_.chosen->seconds());
        const base::work_part part(1 - share);
        const bool reproducible = state_.environment.reproducible;
        const scalar factor = reproducible ? scalar(1.0) : x.beta;
        if (const status copied = copy_->execute(factor, x.c, 0.0, d); !copied)
            return copied;
        if (!reproducible)
            x.beta = 1.0;
    }
    x.c = d;
    const base::work_part part(share);
    state_.chosen->execute(x, d, workspace);
    return {};
}

} // namespace tenfold::contract_impl
