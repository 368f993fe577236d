// The labels of a distributed contraction. They are not fused, because a grid cuts labels one by
// one.
#pragma once

#include <span>

#include <tenfold/dist_plan.hpp>

#include "einsum/problem/labels.hpp"

namespace tenfold::dist_impl {

using einsum_impl::A;
using einsum_impl::all_but_c;
using einsum_impl::B;
using einsum_impl::D;
using einsum_impl::label_class;
using einsum_impl::labelled_problem;
using einsum_impl::operand_labels;
using einsum_impl::problem_label;
using einsum_impl::tensor_id;

/// Throws as einsum_impl::make_problem does. `types` and `extents` are those of the inputs in
/// order, then of the output; sums have the type that one node gives them.
labelled_problem label_problem(const contraction_spec &spec, std::span<const data_type> types,
                               std::span<const extents_t> extents, bool diagonal_output);

/// Refuses operands of one name whose types or distributions differ: they are two tensors. Operands
/// as above; throws errc::invalid_argument.
void check_shared_names(const contraction_spec &spec, std::span<const data_type> types,
                        std::span<const distribution> operands);

} // namespace tenfold::dist_impl
