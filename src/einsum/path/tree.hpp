// Contraction trees: what the searches of path.hpp build, and what becomes of them.
#pragma once

#include <vector>

#include "einsum/path/path.hpp"

namespace tenfold::einsum_impl {

/// Product of the extents of all labels of the set, or of either set; infinite beyond double.
double size_of(const network &net, const label_set &labels);
double size_of_either(const network &net, const label_set &one, const label_set &other);

/// What an operand of a contraction costs before it, and what it carries then.
struct operand_form {
    const label_set *labels;
    double additions; ///< of sums done first
    double elements;  ///< of memory: 0 for an input as it is
    bool sum_first;
};

/// Two operands in the forms in which their contraction is cheapest, sums done first included.
struct pair_choice {
    operand_form left, right;
    double multiply_adds;
};

/// A tensor on its way: an input, or a result.
struct path_tensor {
    label_set labels;  ///< as it is
    label_set reduced; ///< without labels of its own
    double elements;   ///< of `reduced`
    bool is_input = false;
    bool can_sum_first = false; ///< an input with labels of its own
};
path_tensor input_tensor(const network &net, std::size_t input);
path_tensor result_tensor(const network &net, label_set labels);

pair_choice cheapest_forms(const network &net, const path_tensor &left, const path_tensor &right);

/// Most elements alive during a contraction and all that leads to it: children's peaks, forms and
/// the elements of the result (0 where that is D). The child that is better evaluated first is
/// (Sethi, Ullman 1970).
struct peak_choice {
    double peak;
    bool right_first;
};
peak_choice peak_of(const pair_choice &forms, double left_peak, double right_peak, double result);

/// A node is an input (its number) or a contraction of two earlier nodes.
struct path_node {
    std::size_t left, right;
};

/// Labels of the inputs and of all nodes. They depend on the tree alone, not on the order of steps.
std::vector<label_set> labels_of_tree(const network &net, const std::vector<path_node> &nodes);

/// The tree's contractions in the order that keeps the fewest elements alive, with all its numbers.
/// `nodes` are the contractions, numbered from the number of inputs on; the last one is the root.
contraction_path path_of(const network &net, const std::vector<path_node> &nodes);

std::vector<std::vector<path_node>> optimal_trees(const network &net, bool frugal);
std::vector<std::vector<path_node>> greedy_trees(const network &net);
/// A tree that takes at most as many multiply-adds as `nodes`.
std::vector<path_node> improved_tree(const network &net, std::vector<path_node> nodes);

} // namespace tenfold::einsum_impl
