#include "einsum/path/path.hpp"

#include <algorithm>

#include "einsum/parser/path_steps.hpp"
#include "einsum/path/tree.hpp"

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
    std::vector<path_node> nodes;
    for (const pair_step &step : path.steps)
        nodes.push_back({step.left.tensor, step.right.tensor});
    return labels_of_tree(net, nodes);
}

double multiply_adds_at_once(const network &net) {
    label_set all(net.label_count());
    for (const label_set &labels : net.operands)
        all |= labels;
    return size_of(net, all) *
           static_cast<double>(std::max<std::size_t>(net.operands.size(), 2) - 1);
}

std::vector<contraction_path> find_paths(const network &net, bool frugal) {
    if (!net.path.empty())
        return {given_path(net)};
    const bool optimal = net.operands.size() <= most_optimal;
    std::vector<contraction_path> found;
    for (const auto &nodes : optimal ? optimal_trees(net, frugal) : greedy_trees(net)) {
        found.push_back(path_of(net, nodes));
        found.back().origin = optimal ? path_origin::optimal : path_origin::greedy;
    }

    // Sorted by cost; a costlier path is only useful if it needs less memory.
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

path_steps positions_of(const contraction_path &path) {
    std::vector<numbered_step> steps;
    for (const pair_step &step : path.steps)
        steps.push_back({step.left.tensor, step.right.tensor});
    return positions_of(steps, path.steps.size() + 1);
}

} // namespace tenfold::einsum_impl
