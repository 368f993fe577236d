// Contractions of integers for which no matrix product fits: element-wise and outer products, sums
// of one tensor. No workspace.
#pragma once

#include "contract/choose/candidate.hpp"
#include "einsum/problem/problem.hpp"

namespace tenfold::contract_impl {

/// The modes of D: those of m, n and batch.
einsum_impl::mode_group free_modes(const einsum_impl::contraction_problem &problem);

/// Always possible.
candidate_ptr make_integer_loops(const einsum_impl::contraction_problem &problem,
                                 const plan_environment &environment);

} // namespace tenfold::contract_impl
