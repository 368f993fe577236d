// What an execution does once its arguments have been checked (execute.cpp, beside the checks: small
// executions take nanoseconds).
#pragma once

#include <tenfold/transpose.hpp>

#include "contract/front/plan_state.hpp"

namespace tenfold::contract_impl {

class checked_execution {
public:
    /// Rounds alpha and beta to D's type.
    checked_execution(const plan_state &state, const sources &from) noexcept;

    bool multiplies() const noexcept { return multiplies_; }
    bool reads_a() const noexcept { return multiplies_; }
    bool reads_b() const noexcept { return multiplies_ && !state_.problem.unary; }
    bool reads_c() const noexcept { return x_.beta != 0.0; }

    /// Whether the work is D = beta op(C), which takes no workspace.
    bool only_copies() const noexcept { return only_copies_; }
    /// Whether C has to be copied to D before all else.
    bool copies(const void *c, const void *d) const noexcept;
    /// Plans the copy where it is not planned yet. Returns false if there is no memory for that.
    bool plan_copy() noexcept;

    /// Writes D. `at`: the addresses; its scalars are not used. If it copies(), plan_copy() came
    /// before. `workspace` has the plan's size, unless it only copies.
    status run(const sources &at, void *d, std::byte *workspace) const noexcept;
    /// With the rounded scalars.
    sources with_scalars(const sources &at) const noexcept;

private:
    const plan_state &state_;
    sources x_;
    bool multiplies_, only_copies_;
    const transpose_plan *copy_ = nullptr;
};

} // namespace tenfold::contract_impl
