// Contractions whose inputs change places: A op B as B op A.
#pragma once

#include "contract/choose/candidate.hpp"
#include "einsum/problem/problem.hpp"

namespace tenfold::contract_impl {

/// The problem whose A is B and whose B is A.
einsum_impl::contraction_problem with_swapped_inputs(einsum_impl::contraction_problem problem);

/// A candidate for that problem as one for the given problem.
candidate_ptr with_inputs_swapped(candidate_ptr inner);

} // namespace tenfold::contract_impl
