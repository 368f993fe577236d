// Greedy search (Smith, Gray 2018): repeatedly contracts the pair of tensors with a common label
// whose result is smallest compared with the two tensors. Tensors that share no label are
// multiplied at the end, smallest first. O(p log p) for p pairs that ever share a label. Afterwards
// pieces of the tree are made optimal (improve.cpp).
#include <algorithm>
#include <array>
#include <queue>
#include <set>
#include <tuple>

#include "einsum/path/tree.hpp"

namespace tenfold::einsum_impl {
namespace {

/// The tensors that are not yet contracted.
class greedy_search {
public:
    /// The cost of a pair is the size of its result minus `weight` times the sizes of its tensors.
    greedy_search(const network &net, double weight)
        : net_(net), weight_(weight), carriers_(net.label_count()) {
        for (const label_set &labels : net.operands)
            add(labels);
        for (const auto &carriers : carriers_)
            for (auto one = carriers.begin(); one != carriers.end(); ++one)
                for (auto other = std::next(one); other != carriers.end(); ++other)
                    propose(*one, *other);
    }

    std::vector<path_node> run() {
        while (!pairs_.empty()) {
            const auto [cost, left, right] = pairs_.top();
            pairs_.pop();
            if (alive_[left] && alive_[right])
                propose_with_all_neighbours(contract(left, right));
        }
        // Outer products, ordered by size, then number.
        using sized = std::pair<double, std::size_t>;
        std::priority_queue<sized, std::vector<sized>, std::greater<>> apart;
        for (std::size_t tensor = 0; tensor < labels_.size(); ++tensor)
            if (alive_[tensor])
                apart.push({size_of(net_, labels_[tensor]), tensor});
        while (apart.size() > 1) {
            const std::size_t left = apart.top().second;
            apart.pop();
            const std::size_t right = apart.top().second;
            apart.pop();
            const std::size_t product = contract(std::min(left, right), std::max(left, right));
            apart.push({size_of(net_, labels_[product]), product});
        }
        return std::move(nodes_);
    }

private:
    std::size_t add(label_set labels) {
        const std::size_t tensor = labels_.size();
        labels.for_each(
            [&](label_t label) { carriers_[static_cast<std::size_t>(label)].insert(tensor); });
        labels_.push_back(std::move(labels));
        alive_.push_back(true);
        return tensor;
    }

    /// The labels of the two tensors that other tensors or the output still have.
    label_set result_of(std::size_t left, std::size_t right) const {
        label_set result(net_.label_count());
        label_set::for_each_of_either(labels_[left], labels_[right], [&](label_t label) {
            const auto &carriers = carriers_[static_cast<std::size_t>(label)];
            const std::size_t inside = carriers.count(left) + carriers.count(right);
            if (net_.output.contains(label) || carriers.size() > inside)
                result.insert(label);
        });
        return result;
    }

    std::size_t contract(std::size_t left, std::size_t right) {
        label_set result = result_of(left, right);
        for (const std::size_t gone : {left, right}) {
            labels_[gone].for_each(
                [&](label_t label) { carriers_[static_cast<std::size_t>(label)].erase(gone); });
            alive_[gone] = false;
        }
        nodes_.push_back({left, right});
        return add(std::move(result));
    }

    void propose(std::size_t one, std::size_t other) {
        const double result = size_of(net_, result_of(one, other));
        const double replaced = size_of(net_, labels_[one]) + size_of(net_, labels_[other]);
        pairs_.push({result - weight_ * replaced, std::min(one, other), std::max(one, other)});
    }

    void propose_with_all_neighbours(std::size_t tensor) {
        std::set<std::size_t> neighbours;
        labels_[tensor].for_each([&](label_t label) {
            const auto &carriers = carriers_[static_cast<std::size_t>(label)];
            neighbours.insert(carriers.begin(), carriers.end());
        });
        neighbours.erase(tensor);
        for (const std::size_t other : neighbours)
            propose(tensor, other);
    }

    using pair =
        std::tuple<double, std::size_t, std::size_t>; ///< cost, and numbers that decide ties

    const network &net_;
    double weight_;
    std::vector<label_set> labels_; ///< by tensor: inputs, then results
    std::vector<bool> alive_;
    std::vector<std::set<std::size_t>> carriers_; ///< by label: remaining tensors
    std::priority_queue<pair, std::vector<pair>, std::greater<>> pairs_;
    std::vector<path_node> nodes_;
};

} // namespace

std::vector<std::vector<path_node>> greedy_trees(const network &net) {
    // Weight 1 is that of opt_einsum. The others sometimes find better paths and are equally fast.
    constexpr std::array weights{1.0, 0.5, 2.0, 0.0};
    std::vector<std::vector<path_node>> trees;
    for (const double weight : weights)
        trees.push_back(improved_tree(net, greedy_search(net, weight).run()));
    return trees;
}

} // namespace tenfold::einsum_impl
