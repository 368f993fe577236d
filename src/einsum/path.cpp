#include "einsum/path.hpp"

#include <algorithm>

#include "einsum/path_tree.hpp"

namespace tenfold::einsum_impl {

label_set labels_of_its_own(const network &net, std::size_t i) {
    label_set own = net.operands[i];
    const auto take_out = [&own](const label_set &others) {
        others.for_each([&own](label_t label) { own.erase(label); });
    };
    take_out(net.output);
    for (std::size_t other = 0; other < net.operands.size(); ++other)
        if (other != i)
            take_out(net.operands[other]);
    return own;
}

std::vector<label_set> labels_of_tensors(const network &net, const contraction_path &path) {
    // By label: how many tensors not yet contracted carry it, the output among them.
    std::vector<int> carriers(net.label_count(), 0);
    const auto count = [&carriers](const label_set &labels, int by) {
        labels.for_each([&](label_t label) { carriers[static_cast<std::size_t>(label)] += by; });
    };
    count(net.output, 1);
    for (const label_set &labels : net.operands)
        count(labels, 1);

    std::vector<label_set> tensors = net.operands;
    for (const pair_step &step : path.steps) {
        const label_set &left = tensors[step.left.tensor];
        const label_set &right = tensors[step.right.tensor];
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

double multiply_adds_at_once(const network &net) {
    label_set all(net.label_count());
    for (const label_set &labels : net.operands)
        all |= labels;
    return size_of(net, all) *
           static_cast<double>(std::max<std::size_t>(net.operands.size(), 2) - 1);
}

std::vector<contraction_path> find_paths(const network &net, bool frugal) {
    const bool optimal = net.operands.size() <= most_optimal;
    std::vector<contraction_path> found;
    for (const auto &nodes : optimal ? optimal_trees(net, frugal) : greedy_trees(net)) {
        found.push_back(path_of(net, nodes));
        found.back().optimal = optimal;
    }

    // By cost; of those that follow, what does not need less memory is of no use.
    std::stable_sort(found.begin(), found.end(), [](const auto &one, const auto &other) {
        return one.multiply_adds != other.multiply_adds ? one.multiply_adds < other.multiply_adds
                                                        : one.peak < other.peak;
    });
    std::vector<contraction_path> paths;
    for (contraction_path &one : found)
        if (paths.empty() || one.peak < paths.back().peak)
            paths.push_back(std::move(one));
    if (!frugal)
        paths.resize(1);
    return paths;
}

} // namespace tenfold::einsum_impl
