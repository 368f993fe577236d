#include "networks.hpp"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

namespace tenfold::testing {
namespace {

using einsum_impl::label_set;
using einsum_impl::network;
using mask = std::uint64_t; ///< labels

mask mask_of(const label_set &labels) {
    mask all = 0;
    labels.for_each([&all](label_t label) { all |= mask{1} << label; });
    return all;
}

/// A tensor that is not contracted yet.
struct live_tensor {
    mask labels;
    bool is_input;
};

struct live_network {
    const network *net;
    std::vector<live_tensor> tensors;

    explicit live_network(const network &of) : net(&of) {
        for (const label_set &labels : of.operands)
            tensors.push_back({mask_of(labels), true});
    }

    double size(mask labels) const {
        double product = 1;
        for (std::size_t label = 0; label < net->extents.size(); ++label)
            if ((labels >> label & 1) != 0)
                product *= static_cast<double>(net->extents[label]);
        return product;
    }
    /// Returns the labels that the output or tensors other than these two have.
    mask needed_beside(std::size_t one, std::size_t other) const {
        mask needed = mask_of(net->output);
        for (std::size_t i = 0; i < tensors.size(); ++i)
            if (i != one && i != other)
                needed |= tensors[i].labels;
        return needed;
    }
    double live_elements() const {
        double sum = 0;
        for (const live_tensor &one : tensors)
            if (!one.is_input)
                sum += size(one.labels);
        return sum;
    }
    /// Returns the labels of an input without those that no other tensor needs.
    mask without_own(std::size_t i) const {
        return tensors[i].is_input ? tensors[i].labels & needed_beside(i, i) : tensors[i].labels;
    }
};

struct contracted {
    double multiply_adds = std::numeric_limits<double>::infinity();
    double elements = 0; ///< of intermediates while it runs, its result included
    bool sum_left = false, sum_right = false;
};

contracted contract_pair(const live_network &live, std::size_t left, std::size_t right) {
    const mask both = live.tensors[left].labels | live.tensors[right].labels;
    const mask result = both & live.needed_beside(left, right);
    contracted best;
    for (const bool sum_left : {false, true})
        for (const bool sum_right : {false, true}) {
            const mask l = sum_left ? live.without_own(left) : live.tensors[left].labels;
            const mask r = sum_right ? live.without_own(right) : live.tensors[right].labels;
            if ((sum_left && l == live.tensors[left].labels) ||
                (sum_right && r == live.tensors[right].labels))
                continue;
            contracted one{live.size(l | r), live.live_elements(), sum_left, sum_right};
            if (live.tensors.size() > 2)
                one.elements += live.size(result);
            if (sum_left) {
                one.multiply_adds += live.size(live.tensors[left].labels);
                one.elements += live.size(l);
            }
            if (sum_right) {
                one.multiply_adds += live.size(live.tensors[right].labels);
                one.elements += live.size(r);
            }
            if (one.multiply_adds < best.multiply_adds ||
                (one.multiply_adds == best.multiply_adds && one.elements < best.elements))
                best = one;
        }
    return best;
}

live_network after(const live_network &live, std::size_t left, std::size_t right) {
    live_network next = live;
    const mask both = live.tensors[left].labels | live.tensors[right].labels;
    const live_tensor result{both & live.needed_beside(left, right), false};
    next.tensors.erase(next.tensors.begin() + static_cast<std::ptrdiff_t>(std::max(left, right)));
    next.tensors.erase(next.tensors.begin() + static_cast<std::ptrdiff_t>(std::min(left, right)));
    next.tensors.push_back(result);
    return next;
}

/// True if a path may contract these next and complete one operand of a step before it begins the
/// other. Intermediates are then a stack, whose top is the last tensor.
bool completes_what_it_began(const live_network &live, std::size_t left, std::size_t right) {
    const std::size_t top = live.tensors.size() - 1;
    const bool left_is_next = live.tensors[left].is_input || left + 1 == top;
    return (live.tensors[right].is_input || right == top) && left_is_next;
}

void search(const live_network &live, sequence_cost so_far, double limit, sequence_cost &best) {
    if (live.tensors.size() == 1) {
        if (so_far.multiply_adds < best.multiply_adds)
            best = so_far;
        return;
    }
    for (std::size_t right = 1; right < live.tensors.size(); ++right)
        for (std::size_t left = 0; left < right; ++left) {
            if (!completes_what_it_began(live, left, right))
                continue;
            const contracted step = contract_pair(live, left, right);
            const sequence_cost cost{so_far.multiply_adds + step.multiply_adds,
                                     std::max(so_far.peak, step.elements)};
            if (cost.peak <= limit && cost.multiply_adds < best.multiply_adds)
                search(after(live, left, right), cost, limit, best);
        }
}

} // namespace

network network_of(std::string_view expression, const std::map<std::string, index_t> &extents,
                   index_t other) {
    const contraction_spec spec = parse(expression);
    const auto tensor = [&](const std::vector<label_t> &labels) {
        extents_t shape;
        for (const label_t label : labels) {
            const auto found = extents.find(spec.label_names[static_cast<std::size_t>(label)]);
            shape.push_back(found == extents.end() ? other : found->second);
        }
        const extents_t no_strides(shape.size(), 0); // any extents, without an overflow
        return output(data_type::f64, nullptr, layout(shape, no_strides));
    };
    std::vector<input> inputs;
    for (const auto &labels : spec.inputs)
        inputs.push_back(tensor(labels));
    const output d = tensor(spec.output);
    return einsum_impl::make_network(spec, inputs, d, d);
}

network random_network(random_source &random, std::size_t inputs, index_t most_extent) {
    network net;
    const auto labels =
        static_cast<std::size_t>(random.integer(1, 2 + 2 * static_cast<int>(inputs)));
    net.operands.assign(inputs, label_set(labels));
    net.output = label_set(labels);
    for (std::size_t label = 0; label < labels; ++label) {
        net.extents.push_back(random.integer(1, most_extent));
        const int carriers = random.chance(0.7) ? 2 : static_cast<int>(random.integer(1, 4));
        for (int i = 0; i < carriers; ++i)
            net.operands[static_cast<std::size_t>(
                             random.integer(0, static_cast<std::int64_t>(inputs) - 1))]
                .insert(static_cast<label_t>(label));
        if (random.chance(0.25))
            net.output.insert(static_cast<label_t>(label));
    }
    return net;
}

sequence_cost best_of_all(const network &net, double limit) {
    sequence_cost best{std::numeric_limits<double>::infinity(), 0};
    search(live_network(net), {0, 0}, limit, best);
    return best;
}

sequence_cost replay(const network &net, const einsum_impl::contraction_path &path) {
    live_network live(net);
    std::vector<std::size_t> numbers(net.operands.size()); // by place in `live`
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = i;
    EXPECT_EQ(path.steps.size() + 1, net.operands.size());
    sequence_cost total{0, 0};
    for (const einsum_impl::pair_step &step : path.steps) {
        const auto place_of = [&](std::size_t number) {
            const auto found = std::find(numbers.begin(), numbers.end(), number);
            EXPECT_NE(found, numbers.end()) << "tensor " << number << " is used twice or too early";
            return static_cast<std::size_t>(found - numbers.begin());
        };
        const std::size_t left = place_of(step.left.tensor);
        const std::size_t right = place_of(step.right.tensor);
        if (left >= numbers.size() || right >= numbers.size() || left == right) {
            ADD_FAILURE() << "no pair";
            return total;
        }
        const contracted cost = contract_pair(live, left, right);
        EXPECT_EQ(step.left.sum_first, cost.sum_left);
        EXPECT_EQ(step.right.sum_first, cost.sum_right);
        total.multiply_adds += cost.multiply_adds;
        total.peak = std::max(total.peak, cost.elements);
        live = after(live, left, right);
        numbers.erase(numbers.begin() + static_cast<std::ptrdiff_t>(std::max(left, right)));
        numbers.erase(numbers.begin() + static_cast<std::ptrdiff_t>(std::min(left, right)));
        numbers.push_back(net.operands.size() +
                          static_cast<std::size_t>(&step - path.steps.data()));
    }
    return total;
}

} // namespace tenfold::testing
