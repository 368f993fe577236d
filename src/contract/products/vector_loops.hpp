// Contractions as passes over one mode: element-wise products, traces, batch modes at stride 1
// with little to sum. No workspace.
#pragma once

#include "contract/choose/candidate.hpp"
#include "contract/choose/cost_model.hpp"
#include "contract/choose/matrix_problem.hpp"

namespace tenfold::contract_impl {

/// The cheapest choice of the inner mode, priced over all modes. Always possible.
candidate_ptr make_vector_loops(const matrix_problem &problem, const cost_model &model,
                                const plan_environment &environment);

} // namespace tenfold::contract_impl
