// Contractions of 8-bit integers, and of 32-bit ones, which are sums of such, with sums of 32 bits.
// Numbers of 8 bits become such of 32 bits where they meet them.
// All arithmetic is modulo 2^32, and so exact unless a result leaves 32 bits: in any order, on any
// number of threads.
#pragma once

#include <vector>

#include "contract/choose/candidate.hpp"
#include "contract/choose/kinds.hpp"
#include "einsum/problem/problem.hpp"

namespace tenfold::contract_impl {

/// An option for every kind, in their order: products where the tensors lie
/// (direct, gemm_loop), of copies that lie like matrices (ttgt), or plain loops. Something is
/// multiplied. The problem must outlive the candidates.
std::vector<option> integer_options(const einsum_impl::contraction_problem &problem,
                                    const plan_environment &environment);

} // namespace tenfold::contract_impl
