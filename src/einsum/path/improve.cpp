// Improves greedy trees piece by piece, as cotengra does (Gray, Kourtis, Quantum 5, 410, 2021). A
// piece is a contraction with those below it, down to six tensors; it is replaced by the optimal
// tree over these six. The rest of the tree is unaffected, because the tensors at both ends of the
// piece remain.
#include <algorithm>

#include "einsum/path/tree.hpp"

namespace tenfold::einsum_impl {
namespace {

constexpr std::size_t piece_size = 6; ///< 3^6 splits for each contraction of the tree
constexpr int most_rounds = 4;        ///< the first one or two find nearly everything

class improver {
public:
    improver(const network &net, std::vector<path_node> nodes)
        : net_(net), inputs_(net.operands.size()), nodes_(std::move(nodes)) {
        for (std::size_t i = 0; i < inputs_; ++i)
            tensors_.push_back(input_tensor(net, i));
        std::vector<label_set> labels = labels_of_tree(net, nodes_);
        for (std::size_t i = inputs_; i < labels.size(); ++i)
            tensors_.push_back(result_tensor(net, std::move(labels[i])));
    }

    std::vector<path_node> run() {
        bool better = true;
        for (int round = 0; better && round < most_rounds; ++round) {
            better = false;
            for (std::size_t node = inputs_; node < tensors_.size(); ++node)
                better = improve(node) || better;
        }
        std::vector<path_node> sorted;
        append_sorted(tensors_.size() - 1, sorted);
        return sorted;
    }

private:
    path_node &children_of(std::size_t node) { return nodes_[node - inputs_]; }
    double cost_of(std::size_t node) {
        const path_node &children = children_of(node);
        return cheapest_forms(net_, tensors_[children.left], tensors_[children.right])
            .multiply_adds;
    }

    /// A piece: its contractions, root first, and the tensors at its lower end.
    struct piece {
        std::vector<std::size_t> inside, begin;
        double cost = 0;
    };

    /// Grows a piece down from `root` by repeatedly expanding the costliest contraction.
    piece piece_below(std::size_t root) {
        piece found;
        found.begin.push_back(root);
        while (found.begin.size() < piece_size) {
            auto costliest = found.begin.end();
            double most = 0;
            for (auto one = found.begin.begin(); one != found.begin.end(); ++one)
                if (*one >= inputs_ && (costliest == found.begin.end() || cost_of(*one) > most)) {
                    costliest = one;
                    most = cost_of(*one);
                }
            if (costliest == found.begin.end())
                break; // inputs only
            const std::size_t opened = *costliest;
            found.inside.push_back(opened);
            found.cost += most;
            *costliest = children_of(opened).left;
            found.begin.push_back(children_of(opened).right);
        }
        return found;
    }

    bool improve(std::size_t root) {
        const piece old = piece_below(root);
        if (old.begin.size() < 3)
            return false;
        network part;
        part.extents = net_.extents;
        part.output = tensors_[root].labels;
        for (const std::size_t tensor : old.begin)
            part.operands.push_back(tensors_[tensor].labels);
        const std::vector<path_node> best = optimal_trees(part, false).front();
        const contraction_path path = path_of(part, best);
        constexpr double rounding = 1e-12;
        if (!(path.multiply_adds < old.cost * (1 - rounding)))
            return false;

        // The new contractions take the numbers of the old ones, and the root keeps its number.
        std::vector<std::size_t> places = old.begin;
        for (std::size_t i = 0; i < best.size(); ++i)
            places.push_back(old.inside[best.size() - 1 - i]);
        const std::vector<label_set> labels = labels_of_tree(part, best);
        for (std::size_t i = 0; i < best.size(); ++i) {
            const std::size_t place = places[old.begin.size() + i];
            children_of(place) = {places[best[i].left], places[best[i].right]};
            tensors_[place] = result_tensor(net_, labels[old.begin.size() + i]);
        }
        return true;
    }

    /// Appends children before their parents, the order of all trees.
    std::size_t append_sorted(std::size_t node, std::vector<path_node> &sorted) {
        if (node < inputs_)
            return node;
        const std::size_t left = append_sorted(children_of(node).left, sorted);
        const std::size_t right = append_sorted(children_of(node).right, sorted);
        sorted.push_back({left, right});
        return inputs_ + sorted.size() - 1;
    }

    const network &net_;
    std::size_t inputs_;
    std::vector<path_node> nodes_;
    std::vector<path_tensor> tensors_; ///< inputs, then results, by number
};

} // namespace

std::vector<path_node> improved_tree(const network &net, std::vector<path_node> nodes) {
    return improver(net, std::move(nodes)).run();
}

} // namespace tenfold::einsum_impl
