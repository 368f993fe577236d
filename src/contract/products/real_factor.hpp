// Contractions of a real and a complex tensor, multiplied as real numbers: parts of complex numbers
// are positions along one more mode of extent 2. That takes half the flops of a complex product,
// for which the real tensor would be widened.
#pragma once

#include <memory>
#include <vector>

#include "contract/choose/candidate.hpp"
#include "contract/choose/kinds.hpp"
#include "einsum/problem/problem.hpp"

namespace tenfold::contract_impl {

/// The problem after the plan has stored beta op(C) in D: C is D. Null if not exactly one of
/// two inputs is complex, if the copy would round C, or if parts would be one mode too many.
std::shared_ptr<const einsum_impl::contraction_problem>
with_c_in_d(const einsum_impl::contraction_problem &problem);

/// What with_c_in_d() gives, with real numbers only: a mode "[re,im]" of extent 2 and stride 1
/// comes first among the free modes of the complex input. Nothing is conjugated.
einsum_impl::contraction_problem as_real_numbers(const einsum_impl::contraction_problem &problem);

/// The options of both, without an epilogue.
struct real_factor_options {
    std::shared_ptr<const einsum_impl::contraction_problem> complex_problem;
    std::vector<option> real;
    std::vector<option> general; ///< for complex alpha and beta; cheapest first
};

/// Adds to `all`, the options of the problem as it is, one for each of `from.real`. If only one
/// candidate of a kind is wanted, the cheaper one stays.
void add_real_options(std::vector<option> &all, real_factor_options from,
                      const plan_environment &environment, bool one_of_each);

} // namespace tenfold::contract_impl
