#include "contract/sequences/mode_orders.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace tenfold::contract_impl {
namespace {

using einsum_impl::contraction_path;
using einsum_impl::label_set;
using einsum_impl::network;
using einsum_impl::pair_step;

std::vector<label_t> members(const label_set &labels) {
    std::vector<label_t> all;
    labels.for_each([&all](label_t label) { all.push_back(label); });
    return all;
}

class mode_order_search {
public:
    mode_order_search(const network &net, const contraction_path &path,
                      std::vector<std::vector<label_t>> inputs, std::vector<label_t> d)
        : net_(net), path_(path), labels_(einsum_impl::labels_of_tensors(net, path)),
          modes_(std::move(inputs)), inputs_(modes_.size()) {
        modes_.resize(inputs_ + path.steps.size());
        modes_.back() = std::move(d);
    }

    /// Goes backwards from D, because the order of an intermediate depends on the step that reads
    /// it.
    std::vector<std::vector<label_t>> run() {
        for (std::size_t s = path_.steps.size(); s-- > 0;) {
            const pair_step &step = path_.steps[s];
            const std::size_t left = step.left.tensor;
            const std::size_t right = step.right.tensor;
            if (left >= inputs_)
                modes_[left] = modes_of(left, right, inputs_ + s);
            if (right >= inputs_)
                modes_[right] = modes_of(right, left, inputs_ + s);
        }
        return std::move(modes_);
    }

private:
    std::vector<label_t> modes_of(std::size_t tensor, std::size_t other, std::size_t result) const {
        const label_set &here = labels_[tensor];
        // Two intermediates both use the order of label numbers.
        const std::vector<label_t> others =
            other < inputs_ ? modes_[other] : members(labels_[other]);
        std::vector<label_t> contracted, free, batch;
        for (const label_t label : others)
            if (here.contains(label) && !labels_[result].contains(label))
                contracted.push_back(label);
        for (const label_t label : modes_[result])
            if (here.contains(label))
                (labels_[other].contains(label) ? batch : free).push_back(label);

        const bool contracted_first = is_faster(contracted, tensor);
        std::vector<label_t> &first = contracted_first ? contracted : free;
        const std::vector<label_t> &second = contracted_first ? free : contracted;
        first.insert(first.end(), second.begin(), second.end());
        first.insert(first.end(), batch.begin(), batch.end());
        return first;
    }

    /// True if `group` has the fastest label of an input of the step that makes `tensor`.
    bool is_faster(const std::vector<label_t> &group, std::size_t tensor) const {
        const pair_step &maker = path_.steps[tensor - inputs_];
        std::array<std::size_t, 2> makers{maker.left.tensor, maker.right.tensor};
        if (elements(makers[1]) > elements(makers[0]))
            std::swap(makers[0], makers[1]);
        for (const std::size_t from : makers) {
            if (from >= inputs_ || modes_[from].empty())
                continue;
            const label_t fastest = modes_[from].front();
            if (labels_[tensor].contains(fastest))
                return std::find(group.begin(), group.end(), fastest) != group.end();
        }
        return false;
    }

    double elements(std::size_t tensor) const {
        double product = 1;
        labels_[tensor].for_each([&](label_t label) {
            product *= static_cast<double>(net_.extents[static_cast<std::size_t>(label)]);
        });
        return product;
    }

    const network &net_;
    const contraction_path &path_;
    std::vector<label_set> labels_;           ///< by tensor
    std::vector<std::vector<label_t>> modes_; ///< by tensor, fastest first
    std::size_t inputs_;
};

} // namespace

std::vector<label_t> labels_by_stride(const std::vector<label_t> &labels, const layout &shape) {
    struct placed {
        label_t label;
        double stride; ///< of the diagonal, if the label is repeated; a double cannot overflow
    };
    std::vector<placed> all;
    for (std::size_t mode = 0; mode < labels.size(); ++mode) {
        const double stride = static_cast<double>(shape.stride(static_cast<int>(mode)));
        const auto known = std::find_if(
            all.begin(), all.end(), [&](const placed &one) { return one.label == labels[mode]; });
        if (known == all.end())
            all.push_back({labels[mode], stride});
        else
            known->stride += stride;
    }
    std::stable_sort(all.begin(), all.end(), [](const placed &one, const placed &other) {
        return std::abs(one.stride) < std::abs(other.stride);
    });
    std::vector<label_t> sorted;
    for (const placed &one : all)
        sorted.push_back(one.label);
    return sorted;
}

std::vector<std::vector<label_t>> mode_orders(const network &net, const contraction_path &path,
                                              std::vector<std::vector<label_t>> inputs,
                                              std::vector<label_t> d) {
    return mode_order_search(net, path, std::move(inputs), std::move(d)).run();
}

} // namespace tenfold::contract_impl
