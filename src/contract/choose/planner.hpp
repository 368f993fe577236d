// Enumerates the candidates of a problem, cheapest first.
#pragma once

#include <vector>

#include <tenfold/contract.hpp>

#include "contract/choose/kinds.hpp"
#include "einsum/problem/problem.hpp"

namespace tenfold::contract_impl {

/// What users see of it.
candidate_summary summarise(const option &one);

/// The best candidates of every kind, at most `of_each`, all together cheapest first, impossible
/// ones last. The problem must outlive the candidates.
std::vector<option> enumerate_candidates(const einsum_impl::contraction_problem &problem,
                                         const plan_environment &environment,
                                         std::size_t of_each = 1);

} // namespace tenfold::contract_impl
