// From a problem to the candidates that can solve it, cheapest first.
#pragma once

#include <vector>

#include <tenfold/contract.hpp>

#include "contract/candidate.hpp"
#include "einsum/problem.hpp"

namespace tenfold::contract_impl {

/// A candidate, or why an algorithm offers none.
struct option {
    tenfold::algorithm algorithm;
    candidate_ptr choice;   ///< null if not possible
    std::string impossible; ///< the reason, then
};

/// The best candidate of every algorithm, cheapest first, impossible ones last. The problem must
/// outlive the candidates.
std::vector<option> enumerate_candidates(const einsum_impl::contraction_problem &problem,
                                         const plan_environment &environment);

} // namespace tenfold::contract_impl
