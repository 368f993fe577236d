// The labels of a contraction, each with its class. They are not fused, because a grid cuts labels
// one by one.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include <tenfold/dist_plan.hpp>

#include "einsum/problem/problem.hpp"

namespace tenfold::dist_impl {

using einsum_impl::A;
using einsum_impl::all_but_c;
using einsum_impl::B;
using einsum_impl::D;
using einsum_impl::label_class;
using einsum_impl::tensor_id;

struct plan_label {
    std::string name;
    index_t extent;
    /// Labels of a single input which the output lacks count as contracted: cutting them is a cut
    /// of k.
    label_class group;
};

struct operand_labels {
    std::vector<int> modes;    ///< label of each mode
    std::vector<int> distinct; ///< labels in the order of their first mode
};

struct labelled_problem {
    std::vector<plan_label> labels;
    std::array<operand_labels, 3> operands; ///< by tensor; B has no labels where `unary`
    bool unary = false;

    extents_t extents_of(std::span<const int> some_labels) const;
    std::vector<int> group(label_class which) const;
    /// Returns the number of positions of a group: the product of its extents, 1 without labels.
    /// Saturates at INT64_MAX, which happens only beside an empty group.
    index_t size_of(label_class which) const;
    /// Labels of the operand that are not isolated: what panels carry.
    std::vector<int> panel_labels(tensor_id operand) const;
};

/// Throws as einsum_impl::make_problem does. `extents` are those of the inputs in order, then of
/// the output.
labelled_problem label_problem(const contraction_spec &spec, data_type type,
                               std::span<const extents_t> extents, bool diagonal_output);

} // namespace tenfold::dist_impl
