// Enumerates the candidates of a problem, cheapest first.
#pragma once

#include <vector>

#include <tenfold/contract.hpp>

#include "contract/choose/candidate.hpp"
#include "einsum/problem/problem.hpp"

namespace tenfold::contract_impl {

/// A candidate of an algorithm, or the reason why it has none.
struct option {
    tenfold::algorithm algorithm;
    candidate_ptr choice;   ///< null if not possible
    std::string impossible; ///< the reason if `choice` is null
};

/// The summary of an option for users.
candidate_summary summarise(const option &one);

/// The best candidates of every algorithm, at most `of_each` each. They are sorted by cost, with
/// impossible ones last. The problem must outlive the candidates.
std::vector<option> enumerate_candidates(const einsum_impl::contraction_problem &problem,
                                         const plan_environment &environment,
                                         std::size_t of_each = 1);

} // namespace tenfold::contract_impl
