// The order that a caller gives: its tree, executed step by step as it was written. Steps of more
// than two operands are small networks of their own, whose order is searched.
#include <algorithm>

#include "einsum/parser/path_steps.hpp"
#include "einsum/path/tree.hpp"

namespace tenfold::einsum_impl {
namespace {

/// The tree of a network's path.
class given_tree {
public:
    explicit given_tree(const network &net)
        : net_(net), labels_(net.operands), carriers_(net.label_count(), 0) {
        count(net.output, 1);
        for (const label_set &labels : net.operands)
            count(labels, 1);
    }

    std::vector<path_node> run() {
        // By number in the caller's path, where a step has one result: the tensor of the tree.
        std::vector<std::size_t> tensors;
        for (std::size_t i = 0; i < net_.operands.size(); ++i)
            tensors.push_back(i);
        for (const numbered_step &step : numbered(net_.path, net_.operands.size())) {
            std::vector<std::size_t> operands;
            for (const std::size_t tensor : step)
                operands.push_back(tensors[tensor]);
            tensors.push_back(operands.size() == 1 ? operands.front() : contract(operands));
        }
        return std::move(nodes_);
    }

private:
    void count(const label_set &labels, int by) {
        labels.for_each([&](label_t label) { carriers_[static_cast<std::size_t>(label)] += by; });
    }

    std::size_t contract(const std::vector<std::size_t> &operands) {
        network part;
        part.extents = net_.extents;
        part.output = label_set(net_.label_count());
        label_set all(net_.label_count());
        for (const std::size_t tensor : operands) {
            part.operands.push_back(labels_[tensor]);
            count(labels_[tensor], -1);
            all |= labels_[tensor];
        }
        all.for_each([&](label_t label) {
            if (carriers_[static_cast<std::size_t>(label)] > 0)
                part.output.insert(label);
        });
        count(part.output, 1);
        append_steps_of(part, operands);
        return labels_.size() - 1;
    }

    void append_steps_of(const network &part, std::vector<std::size_t> tensors) {
        contraction_path path;
        if (tensors.size() == 2)
            path.steps = {{{0}, {1}}};
        else
            path = find_paths(part, false).front();
        const std::vector<label_set> labels = labels_of_tensors(part, path);
        for (std::size_t s = 0; s < path.steps.size(); ++s) {
            nodes_.push_back(
                {tensors[path.steps[s].left.tensor], tensors[path.steps[s].right.tensor]});
            tensors.push_back(labels_.size());
            labels_.push_back(labels[part.operands.size() + s]);
        }
    }

    const network &net_;
    std::vector<label_set> labels_; ///< by tensor: inputs, then results
    std::vector<int> carriers_;     ///< by label: remaining tensors that have it, and the output
    std::vector<path_node> nodes_;
};

} // namespace

contraction_path given_path(const network &net) {
    const std::size_t inputs = net.operands.size();
    const std::vector<path_node> nodes = given_tree(net).run();
    const std::vector<label_set> labels = labels_of_tree(net, nodes);
    std::vector<path_tensor> tensors;
    for (std::size_t i = 0; i < inputs; ++i)
        tensors.push_back(input_tensor(net, i));

    contraction_path path;
    path.origin = path_origin::given;
    std::vector<std::size_t> alive; // intermediates
    for (std::size_t s = 0; s < nodes.size(); ++s) {
        const path_tensor &left = tensors[nodes[s].left];
        const path_tensor &right = tensors[nodes[s].right];
        const pair_choice forms = cheapest_forms(net, left, right);
        path.steps.push_back(
            {{nodes[s].left, forms.left.sum_first}, {nodes[s].right, forms.right.sum_first}});
        path.multiply_adds += forms.multiply_adds;
        path_tensor result = result_tensor(net, labels[inputs + s]);
        std::erase(alive, nodes[s].left);
        std::erase(alive, nodes[s].right);
        const bool is_output = s + 1 == nodes.size();
        double elements =
            forms.left.elements + forms.right.elements + (is_output ? 0 : result.elements);
        for (const std::size_t other : alive)
            elements += tensors[other].elements;
        path.peak = std::max(path.peak, elements);
        alive.push_back(inputs + s);
        tensors.push_back(std::move(result));
    }
    return path;
}

} // namespace tenfold::einsum_impl
