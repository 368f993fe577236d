// Element-wise products whose tensors lie in different orders, box by box: what does not lie in D's
// order is copied into it in the L1 cache, where vector kernels multiply.
#pragma once

#include "contract/choose/candidate.hpp"
#include "contract/choose/cost_model.hpp"
#include "contract/choose/matrix_problem.hpp"
#include "contract/products/box_shape.hpp"

namespace tenfold::contract_impl {

/// Null if it takes `most_seconds` or longer, if nothing would be copied, and without modes (see
/// modes_of_boxes()).
candidate_ptr make_box_nest(const matrix_problem &problem, box_modes boxes, const cost_model &model,
                            const plan_environment &environment, double most_seconds);

} // namespace tenfold::contract_impl
