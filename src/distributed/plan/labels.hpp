// The labels of a contraction, each with its class. They are not fused, because a grid cuts labels
// one by one.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include <tenfold/dist_plan.hpp>

namespace tenfold::dist_impl {

/// The class of a label. As in einsum_impl::contraction_problem, except that with a single input
/// the labels that the output lacks count as contracted: cutting them is a cut of k.
enum class label_class : std::uint8_t { batch, m, n, k, isolated_a, isolated_b };

struct plan_label {
    std::string name;
    index_t extent;
    label_class group;
};

enum operand_id : std::size_t { operand_a = 0, operand_b = 1, operand_d = 2 };

struct operand_labels {
    std::vector<int> modes;    ///< label of each mode
    std::vector<int> distinct; ///< labels in the order of their first mode
};

struct labelled_problem {
    std::vector<plan_label> labels;
    std::array<operand_labels, 3> operands; ///< B has no labels if `unary`
    bool unary = false;

    extents_t extents_of(std::span<const int> some_labels) const;
    std::vector<int> group(label_class which) const;
    /// Returns the number of positions of a group: the product of its extents, 1 without labels.
    /// Saturates at INT64_MAX, which happens only beside an empty group.
    index_t size_of(label_class which) const;
    /// Returns the labels of the operand's panels: all but the isolated ones.
    std::vector<int> panel_labels(operand_id operand) const;
};

/// Throws as einsum_impl::make_problem does. `extents` are those of the inputs in order, then of
/// the output.
labelled_problem label_problem(const contraction_spec &spec, data_type type,
                               std::span<const extents_t> extents, bool diagonal_output);

} // namespace tenfold::dist_impl
