// The labels of a contraction one by one, each with its class. Layouts play no part.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "einsum/problem/problem.hpp"

namespace tenfold::einsum_impl {

struct problem_label {
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
    std::vector<problem_label> labels;
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

/// Of a valid expression of one or two inputs; `extents` are those of the inputs in order, then of
/// the output.
labelled_problem label_problem(const contraction_spec &spec, std::span<const extents_t> extents);

} // namespace tenfold::einsum_impl
