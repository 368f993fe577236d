// A contraction of one input whose labels are all in the output: a transposition, without a
// product.
#pragma once

#include <tenfold/transpose.hpp>

#include "contract/choose/candidate.hpp"
#include "contract/choose/cost_model.hpp"
#include "einsum/problem/problem.hpp"

namespace tenfold::contract_impl {

bool is_permutation(const einsum_impl::contraction_problem &problem) noexcept;

/// `direct`, for a problem of this kind.
candidate_ptr make_permute(const einsum_impl::contraction_problem &problem, const cost_model &model,
                           const plan_environment &environment);

/// Plans D = beta op(C), for any problem; C and D have the same labels.
transpose_plan plan_copy_of_c(const einsum_impl::contraction_problem &problem,
                              const plan_environment &environment);

} // namespace tenfold::contract_impl
