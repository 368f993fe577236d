// Sums of leaves: the one candidate of reproducible contractions. It gives the bits that any number
// of ranks gives (src/reproducible).
#pragma once

#include <tenfold/einsum.hpp>

#include "contract/choose/candidate.hpp"
#include "einsum/problem/problem.hpp"

namespace tenfold::contract_impl {

/// Plans within `room` bytes of workspace where that is possible, else with as little as possible.
/// The context of the environment must outlive the candidate.
candidate_ptr make_leaves(const contraction_spec &spec,
                          const einsum_impl::contraction_problem &problem,
                          const plan_environment &environment, int threads, byte_count room);

} // namespace tenfold::contract_impl
