// What a contraction plan holds, and the parts of its work that have rooms of their own.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tenfold/contract.hpp>
#include <tenfold/transpose.hpp>

#include "contract/candidate.hpp"
#include "contract/planner.hpp"
#include "einsum/problem.hpp"

namespace tenfold {

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
};

namespace contract_impl {

/// Takes what was asked for, or the cheapest within the workspace limit, with fewer threads where
/// that is what fits; fills state.chosen, the summary and the threads of the environment. Throws
/// errc::unsupported or errc::workspace_too_small.
void choose(contraction_plan::state &state, algorithm requested);

/// Checks the arguments, then runs (see contraction_plan::execute).
status execute(const contraction_plan::state &state, scalar alpha, const void *a, const void *b,
               scalar beta, const void *c, void *d, std::span<std::byte> workspace) noexcept;

std::string explain(const contraction_plan::state &state);

} // namespace contract_impl
} // namespace tenfold
