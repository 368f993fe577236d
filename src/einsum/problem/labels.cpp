#include "einsum/problem/labels.hpp"

#include <algorithm>

#include "base/checked.hpp"

namespace tenfold::einsum_impl {
namespace {

bool carries(const operand_labels &operand, int label) {
    return std::find(operand.distinct.begin(), operand.distinct.end(), label) !=
           operand.distinct.end();
}

operand_labels labels_of(const std::vector<label_t> &modes) {
    operand_labels result{modes, {}};
    for (const int label : modes)
        if (!carries(result, label))
            result.distinct.push_back(label);
    return result;
}

} // namespace

extents_t labelled_problem::extents_of(std::span<const int> some_labels) const {
    extents_t result;
    for (const int label : some_labels)
        result.push_back(labels[static_cast<std::size_t>(label)].extent);
    return result;
}

std::vector<int> labelled_problem::group(label_class which) const {
    std::vector<int> result;
    for (std::size_t label = 0; label < labels.size(); ++label)
        if (labels[label].group == which)
            result.push_back(static_cast<int>(label));
    return result;
}

index_t labelled_problem::size_of(label_class which) const {
    const extents_t extents = extents_of(group(which));
    if (std::find(extents.begin(), extents.end(), 0) != extents.end())
        return 0;
    index_t size = 1;
    for (const index_t extent : extents)
        size = base::saturated_multiply(size, extent);
    return size; // may be saturated beside an empty group, but then no loop runs over it
}

std::vector<int> labelled_problem::panel_labels(tensor_id operand) const {
    std::vector<int> result;
    for (const int label : operands[operand].distinct) {
        const label_class group = labels[static_cast<std::size_t>(label)].group;
        if (group != label_class::isolated_a && group != label_class::isolated_b)
            result.push_back(label);
    }
    return result;
}

labelled_problem label_problem(const contraction_spec &spec, std::span<const extents_t> extents) {
    labelled_problem problem;
    problem.unary = spec.inputs.size() == 1;
    problem.operands[A] = labels_of(spec.inputs[0]);
    if (!problem.unary)
        problem.operands[B] = labels_of(spec.inputs[1]);
    problem.operands[D] = labels_of(spec.output);

    std::vector<index_t> extent(spec.label_names.size(), 1);
    const std::vector<label_t> *modes[] = {
        &spec.inputs[0], problem.unary ? &spec.output : &spec.inputs[1], &spec.output};
    for (std::size_t operand = 0; operand < extents.size(); ++operand)
        for (std::size_t mode = 0; mode < modes[operand]->size(); ++mode)
            extent[static_cast<std::size_t>((*modes[operand])[mode])] = extents[operand][mode];

    for (std::size_t label = 0; label < spec.label_names.size(); ++label) {
        const auto stands_in = [&](tensor_id operand) {
            return carries(problem.operands[operand], static_cast<int>(label));
        };
        label_class group = class_of(stands_in(A), stands_in(B), stands_in(D));
        if (problem.unary && group == label_class::isolated_a)
            group = label_class::k;
        problem.labels.push_back({spec.label_names[label], extent[label], group});
    }
    return problem;
}

} // namespace tenfold::einsum_impl
