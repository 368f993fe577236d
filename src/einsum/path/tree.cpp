#include "einsum/path/tree.hpp"

#include <algorithm>

namespace tenfold::einsum_impl {
namespace {

/// A node of a tree, with the numbers derived from its children.
struct evaluated {
    path_tensor tensor;
    pair_choice forms{};
    peak_choice peak{0, false};
};

operand_form as_it_is(const path_tensor &tensor) {
    return {&tensor.labels, 0, tensor.is_input ? 0 : tensor.elements, false};
}

operand_form summed_first(const network &net, const path_tensor &tensor) {
    return {&tensor.reduced, size_of(net, tensor.labels), tensor.elements, true};
}

double elements_of(const pair_choice &forms) { return forms.left.elements + forms.right.elements; }

/// Appends the steps that compute `node` and returns the number of its tensor. The recursion is as
/// deep as the tree, at most the number of inputs.
std::size_t append_steps(std::size_t node, std::size_t inputs, const std::vector<path_node> &nodes,
                         const std::vector<evaluated> &tree, std::vector<pair_step> &steps) {
    if (node < inputs)
        return node;
    const path_node &children = nodes[node - inputs];
    std::size_t left = 0, right = 0;
    if (tree[node].peak.right_first) {
        right = append_steps(children.right, inputs, nodes, tree, steps);
        left = append_steps(children.left, inputs, nodes, tree, steps);
    } else {
        left = append_steps(children.left, inputs, nodes, tree, steps);
        right = append_steps(children.right, inputs, nodes, tree, steps);
    }
    steps.push_back(
        {{left, tree[node].forms.left.sum_first}, {right, tree[node].forms.right.sum_first}});
    return inputs + steps.size() - 1;
}

} // namespace

double size_of(const network &net, const label_set &labels) {
    return size_of_either(net, labels, labels);
}

double size_of_either(const network &net, const label_set &one, const label_set &other) {
    double size = 1;
    label_set::for_each_of_either(one, other, [&](label_t label) {
        size *= static_cast<double>(net.extents[static_cast<std::size_t>(label)]);
    });
    return size;
}

path_tensor input_tensor(const network &net, std::size_t input) {
    path_tensor tensor;
    tensor.labels = net.operands[input];
    tensor.reduced = tensor.labels;
    labels_of_its_own(net, input).for_each([&](label_t label) {
        tensor.reduced.erase(label);
        tensor.can_sum_first = true;
    });
    tensor.elements = size_of(net, tensor.reduced);
    tensor.is_input = true;
    return tensor;
}

path_tensor result_tensor(const network &net, label_set labels) {
    path_tensor tensor;
    tensor.elements = size_of(net, labels);
    tensor.labels = std::move(labels);
    return tensor;
}

pair_choice cheapest_forms(const network &net, const path_tensor &left, const path_tensor &right) {
    pair_choice best{};
    bool first = true;
    for (const bool sum_left : {false, true})
        for (const bool sum_right : {false, true}) {
            if ((sum_left && !left.can_sum_first) || (sum_right && !right.can_sum_first))
                continue;
            pair_choice choice{sum_left ? summed_first(net, left) : as_it_is(left),
                               sum_right ? summed_first(net, right) : as_it_is(right), 0};
            choice.multiply_adds = size_of_either(net, *choice.left.labels, *choice.right.labels) +
                                   choice.left.additions + choice.right.additions;
            // Between equal costs, memory decides, whichever of the two tensors is called left.
            if (first || choice.multiply_adds < best.multiply_adds ||
                (choice.multiply_adds == best.multiply_adds &&
                 elements_of(choice) < elements_of(best)))
                best = choice;
            first = false;
        }
    return best;
}

peak_choice peak_of(const pair_choice &forms, double left_peak, double right_peak, double result) {
    const double left = forms.left.elements;
    const double right = forms.right.elements;
    const double during = left + right + result;
    const double left_first = std::max({left_peak, left + right_peak, during});
    const double right_first = std::max({right_peak, right + left_peak, during});
    return {std::min(left_first, right_first), right_first < left_first};
}

std::vector<label_set> labels_of_tree(const network &net, const std::vector<path_node> &nodes) {
    // By label: the number of remaining tensors that have it, the output included.
    std::vector<int> carriers(net.label_count(), 0);
    const auto count = [&carriers](const label_set &labels, int by) {
        labels.for_each([&](label_t label) { carriers[static_cast<std::size_t>(label)] += by; });
    };
    count(net.output, 1);
    for (const label_set &labels : net.operands)
        count(labels, 1);

    std::vector<label_set> tensors = net.operands;
    for (const path_node &node : nodes) {
        const label_set &left = tensors[node.left];
        const label_set &right = tensors[node.right];
        count(left, -1);
        count(right, -1);
        label_set result(net.label_count());
        (left | right).for_each([&](label_t label) {
            if (carriers[static_cast<std::size_t>(label)] > 0)
                result.insert(label);
        });
        count(result, 1);
        tensors.push_back(std::move(result));
    }
    return tensors;
}

contraction_path path_of(const network &net, const std::vector<path_node> &nodes) {
    const std::size_t inputs = net.operands.size();
    contraction_path path;

    std::vector<label_set> labels = labels_of_tree(net, nodes);
    std::vector<evaluated> tree(inputs + nodes.size());
    for (std::size_t i = 0; i < inputs; ++i)
        tree[i].tensor = input_tensor(net, i);
    for (std::size_t node = inputs; node < tree.size(); ++node) {
        const evaluated &left = tree[nodes[node - inputs].left];
        const evaluated &right = tree[nodes[node - inputs].right];
        evaluated &here = tree[node];
        here.tensor = result_tensor(net, std::move(labels[node]));
        here.forms = cheapest_forms(net, left.tensor, right.tensor);
        const bool is_output = node + 1 == tree.size();
        here.peak = peak_of(here.forms, left.peak.peak, right.peak.peak,
                            is_output ? 0 : here.tensor.elements);
        path.multiply_adds += here.forms.multiply_adds;
    }
    path.peak = tree.back().peak.peak;
    append_steps(tree.size() - 1, inputs, nodes, tree, path.steps);
    return path;
}

} // namespace tenfold::einsum_impl
