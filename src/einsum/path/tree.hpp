// Contraction trees, which the searches of path.hpp build, and their costs.
#pragma once

#include <vector>

#include "einsum/path/path.hpp"

namespace tenfold::einsum_impl {

/// Product of the extents of all labels of the set, or of either set; infinite if a double
/// overflows.
double size_of(const network &net, const label_set &labels);
double size_of_either(const network &net, const label_set &one, const label_set &other);

/// An operand in the form in which it is contracted, with the cost of reaching that form.
struct operand_form {
    const label_set *labels;
    double additions; ///< of sums done first
    double elements;  ///< of extra memory; 0 for an input that is used directly
    bool sum_first;
};

/// The forms of two operands in which their contraction is cheapest, including sums done first.
struct pair_choice {
    operand_form left, right;
    double multiply_adds;
};

/// A tensor of the tree: an input or a result.
struct path_tensor {
    label_set labels;  ///< all labels
    label_set reduced; ///< without labels that only this tensor has
    double elements;   ///< of `reduced`
    bool is_input = false;
    bool can_sum_first = false; ///< an input with labels that only it has
};
path_tensor input_tensor(const network &net, std::size_t input);
path_tensor result_tensor(const network &net, label_set labels);

pair_choice cheapest_forms(const network &net, const path_tensor &left, const path_tensor &right);

/// The most elements alive during a contraction and all that precedes it: the children's peaks,
/// their forms, and the elements of the result (0 for D). The order in which the two children are
/// evaluated follows Sethi and Ullman (1970).
struct peak_choice {
    double peak;
    bool right_first;
};
peak_choice peak_of(const pair_choice &forms, double left_peak, double right_peak, double result);

/// A node is an input (its number) or a contraction of two earlier nodes.
struct path_node {
    std::size_t left, right;
};

/// Labels of the inputs and of all nodes. They depend on the tree only, not on the order of steps.
std::vector<label_set> labels_of_tree(const network &net, const std::vector<path_node> &nodes);

/// The contractions of a tree in the order that keeps the fewest elements alive, with the path's
/// costs. `nodes` are the contractions, numbered after the inputs; the last one is the root.
contraction_path path_of(const network &net, const std::vector<path_node> &nodes);

std::vector<std::vector<path_node>> optimal_trees(const network &net, bool frugal);
std::vector<std::vector<path_node>> greedy_trees(const network &net);
/// The path that the network has, step by step in its order.
contraction_path given_path(const network &net);
/// Returns a tree with at most as many multiply-adds as `nodes`.
std::vector<path_node> improved_tree(const network &net, std::vector<path_node> nodes);

} // namespace tenfold::einsum_impl
