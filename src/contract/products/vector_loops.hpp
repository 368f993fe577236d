// Contractions as passes over one mode: element-wise products, traces, stride-1 batch modes with
// short sums. No workspace.
#pragma once

#include "contract/choose/candidate.hpp"
#include "contract/choose/cost_model.hpp"
#include "contract/choose/matrix_problem.hpp"

namespace tenfold::contract_impl {

/// Makes the candidate with the cheapest inner mode; all modes are priced. Always possible.
candidate_ptr make_vector_loops(const matrix_problem &problem, const cost_model &model,
                                const plan_environment &environment);

} // namespace tenfold::contract_impl
