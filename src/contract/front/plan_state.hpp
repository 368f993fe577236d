// What a contraction plan holds, and the parts of its work that have rooms of their own.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tenfold/contract.hpp>
#include <tenfold/transpose.hpp>

#include "base/workspace.hpp"
#include "contract/choose/candidate.hpp"
#include "contract/choose/planner.hpp"
#include "contract/sequences/sequence.hpp"
#include "einsum/problem/problem.hpp"

namespace tenfold {

/// Of one or two inputs, a problem and the candidate that solves it; of more, a sequence of plans
/// (then `problem`, `chosen` and `copy_c` are empty).
struct contraction_plan::state {
    einsum_impl::contraction_problem problem;
    contract_impl::plan_environment environment;
    plan_summary summary;
    std::string text;   ///< the expression
    scalar scale = 1.0; ///< what the expression multiplies alpha with, sign included
    contract_impl::candidate_ptr chosen;
    /// D = beta op(C): all there is to do when nothing is multiplied, and the first step where C is
    /// not D already.
    std::optional<transpose_plan> copy_c;
    std::optional<contract_impl::sequence> sequence;
    std::string tuning; ///< explain()'s lines on how the candidate was chosen; empty: as estimated
};

namespace contract_impl {

/// errc::workspace_too_small, and the least limit that would do.
class workspace_refusal : public error {
public:
    /// `how`: of what, where `who` does not say it.
    workspace_refusal(const std::string &who, byte_count least, byte_count limit,
                      const std::string &how = "");
    byte_count least() const noexcept { return least_; }

private:
    byte_count least_;
};

/// Takes what was asked for, or the cheapest within the workspace limit: where the best one needs
/// more, candidates are shaped by the limit (slices, smaller tiles and panels), with fewer threads
/// where that is faster; fills state.chosen, the summary and the threads of the environment. Throws
/// errc::unsupported or workspace_refusal.
void choose(contraction_plan::state &state, algorithm requested);

/// All that execute() says about scalars, C and D before it looks at the inputs.
status check_output(const contraction_plan::state &state, scalar alpha, scalar beta, const void *c,
                    const void *d) noexcept;

/// Where a plan runs: the caller's workspace where that serves, else a little of the stack, for
/// which nobody has to wait, else a loan from the pool.
struct workspace_use {
    workspace_use(const contraction_plan::state &state, std::span<std::byte> given) noexcept;
    workspace_use(const workspace_use &) = delete;
    workspace_use &operator=(const workspace_use &) = delete;

    base::workspace_lease lease;
    std::byte *memory;
    bool missing = false; ///< there is no memory
    alignas(base::workspace_alignment) std::array<std::byte, 8 << 10> little; ///< left as it is
};

/// One or two inputs: checks the arguments, then runs (see contraction_plan::execute).
status execute(const contraction_plan::state &state, scalar alpha, const void *a, const void *b,
               scalar beta, const void *c, void *d, std::span<std::byte> workspace) noexcept;

std::string explain(const contraction_plan::state &state);

/// The same for more than two inputs.
status execute_sequence(const contraction_plan::state &state, scalar alpha,
                        std::span<const void *const> inputs, scalar beta, const void *c, void *d,
                        std::span<std::byte> workspace) noexcept;
std::string explain_sequence(const contraction_plan::state &state);

} // namespace contract_impl
} // namespace tenfold
