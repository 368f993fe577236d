#include "reproducible/summation.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/checked.hpp"

namespace tenfold::reproducible_impl {
namespace {

using einsum_impl::labelled_problem;
using einsum_impl::tensor_id;

/// All elements of a contraction must use the same form, so only global extents decide.
product_form form_of(const labelled_problem &problem) {
    if (problem.unary)
        return problem.size_of(label_class::k) == 1 ? product_form::copies : product_form::matrices;
    return problem.size_of(label_class::m) == 1 && problem.size_of(label_class::n) == 1
               ? product_form::dots
               : product_form::matrices;
}

} // namespace

void summation::add(int number, index_t extent, label_class group) {
    groups_[static_cast<std::size_t>(group)].push_back(labels_.size());
    labels_.push_back({number, extent, group});
}

summation::summation(const labelled_problem &problem, const product_kind &kind)
    : leaves_(problem), kind_(kind) {
    kind_.form = form_of(problem);
    kind_.has_b = !problem.unary;
    for (std::size_t number = 0; number < problem.labels.size(); ++number) {
        const einsum_impl::problem_label &one = problem.labels[number];
        const auto group = static_cast<std::size_t>(one.group);
        if (group < groups_.size()) // else it is isolated, or the tensors lack it
            add(static_cast<int>(number), one.extent, one.group);
    }
    largest_leaf_ = leaves_.largest(leaves_.count());
    const std::vector<int> parts = leaves_.factors(leaves_.count());
    for (std::size_t i = 0; i < parts.size(); ++i)
        cuts_.push_back({at(leaves_.labels()[i]), parts[i]});
}

summation::summation(const labelled_problem &problem, tensor_id input, data_type type) {
    kind_.type_a = type;
    const std::vector<int> kept = problem.panel_labels(input);
    for (const int number : problem.operands[input].distinct) {
        const bool stays = std::find(kept.begin(), kept.end(), number) != kept.end();
        const index_t extent = problem.labels[static_cast<std::size_t>(number)].extent;
        add(number, extent, stays ? label_class::m : label_class::k);
        if (!stays)
            largest_leaf_ = base::saturated_multiply(largest_leaf_, extent);
    }
}

void summation::sort(label_class group, const extents_t &strides) {
    std::vector<std::size_t> &labels = groups_[static_cast<std::size_t>(group)];
    std::stable_sort(labels.begin(), labels.end(), [&](std::size_t one, std::size_t other) {
        return std::abs(strides[one]) < std::abs(strides[other]);
    });
}

extents_t summation::by_label(const std::vector<int> &numbers, const extents_t &values) const {
    extents_t result(labels_.size(), 0);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        result[at(numbers[i])] += values[i];
    return result;
}

label_box label_box::whole(const summation &sum) noexcept {
    label_box box;
    for (std::size_t label = 0; label < sum.labels().size(); ++label) {
        box.offsets[label] = 0;
        box.extents[label] = sum.labels()[label].extent;
    }
    return box;
}

} // namespace tenfold::reproducible_impl
