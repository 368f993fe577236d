// A contraction of one input whose labels are all in the output: a transposition, without a
// product.
#pragma once

#include <tenfold/transpose.hpp>

#include "contract/choose/candidate.hpp"
#include "einsum/problem/problem.hpp"

namespace tenfold::contract_impl {

bool is_permutation(const einsum_impl::contraction_problem &problem) noexcept;
/// Whether one transposition is all of it. A D that is rounded can be added to if C has its type,
/// so that it is exact in D.
bool is_transposition(const einsum_impl::contraction_problem &problem) noexcept;

/// `direct`, for a problem of this kind.
candidate_ptr make_permute(const einsum_impl::contraction_problem &problem,
                           const plan_environment &environment);

/// Plans the transposition of `tensor`, which has D's labels, into D.
transpose_plan plan_into_d(const einsum_impl::contraction_problem &problem,
                           einsum_impl::tensor_id tensor, const plan_environment &environment,
                           tuning level = tuning::estimate);

} // namespace tenfold::contract_impl
