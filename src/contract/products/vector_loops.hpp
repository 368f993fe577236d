// Contractions as passes over one mode or two: element-wise products, traces, stride-1 batch modes
// with short sums. No workspace.
#pragma once

#include <limits>

#include "contract/choose/candidate.hpp"
#include "contract/choose/cost_model.hpp"
#include "contract/choose/matrix_problem.hpp"

namespace tenfold::contract_impl {

/// Predicted seconds of the cheapest passes. O(modes^2).
double price_vector_loops(const matrix_problem &problem, const cost_model &model,
                          const plan_environment &environment);

/// Makes the candidate with the cheapest passes; all modes are priced. Always possible; null if
/// it takes `most_seconds` or longer.
candidate_ptr make_vector_loops(const matrix_problem &problem, const cost_model &model,
                                const plan_environment &environment,
                                double most_seconds = std::numeric_limits<double>::infinity());

} // namespace tenfold::contract_impl
