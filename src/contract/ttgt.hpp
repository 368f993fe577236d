// Transpose, transpose, GEMM, transpose: tensors that do not lie like matrices are moved into
// workspace where they do.
#pragma once

#include <vector>

#include "contract/candidate.hpp"
#include "contract/cost_model.hpp"
#include "einsum/problem.hpp"

namespace tenfold::contract_impl {

/// The `most` cheapest ways that move at least one tensor, cheapest first. All choices of tensors
/// to move, of the order of modes in every super-index (as one of the tensors that carry it has
/// them: any other order would move one tensor more and gain nothing) and of which super-index
/// becomes fastest are priced. If none stays within the workspace limit, the one that needs least.
/// Empty if there is nothing to move.
///
/// Operands of a type that cannot be multiplied as it is (bf16, f16) are converted on the way.
/// Labels of one input only are summed on the way.
std::vector<candidate_ptr> ttgt_candidates(const einsum_impl::contraction_problem &problem,
                                           const cost_model &model,
                                           const plan_environment &environment, std::size_t most);

} // namespace tenfold::contract_impl
