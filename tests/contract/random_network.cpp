#include "contract/random_network.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/with_type.hpp"

namespace tenfold::testing {
namespace {

/// Fills with integers from -most to most.
template <class T> void fill(network_tensor &tensor, int most, random_source &random) {
    const auto value = [&] { return static_cast<float>(random.integer(-most, most)); };
    for (std::size_t at = 0; at < tensor.buffer.size(); at += sizeof(T)) {
        T element;
        if constexpr (is_complex(data_type_of<T>)) {
            const float real = value();
            element = T(real, value());
        } else {
            element = T(value());
        }
        std::memcpy(tensor.buffer.data() + at, &element, sizeof element);
    }
}

void fill(network_tensor &tensor, int most, random_source &random) {
    base::with_type(tensor.type, [&]<class T>(T) { fill<T>(tensor, most, random); });
}

/// Random strides: any order of modes, some with a gap or negative, in inputs also zero.
network_tensor place(const extents_t &extents, data_type type, bool is_input, int most,
                     random_source &random) {
    network_tensor tensor;
    tensor.type = type;
    tensor.conjugated = random.chance(0.2);
    std::vector<std::size_t> order(extents.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (random.chance(0.6))
        random.shuffle(order);
    extents_t strides(extents.size());
    index_t step = random.chance(0.8) ? 1 : 2;
    int gaps = 0;
    for (const std::size_t mode : order) {
        if (is_input && random.chance(0.05))
            continue; // stride 0
        strides[mode] = random.chance(0.1) ? -step : step;
        step *= std::max<index_t>(extents[mode], 1);
        if (gaps < 2 && random.chance(0.2)) {
            step += 1;
            ++gaps;
        }
    }
    tensor.shape = layout(extents, strides);
    const side fence = random.chance(0.8) ? side::end : side::begin;
    const index_t margin = random.integer(0, 5);
    const index_t before = fence == side::begin ? 0 : margin;
    tensor.origin = (before - tensor.shape.lowest()) * size_of(type);
    const index_t elements = tensor.shape.highest() - tensor.shape.lowest() + 1 + margin;
    tensor.buffer = make_fenced(elements * size_of(type), fence);
    fill(tensor, most, random);
    return tensor;
}

/// Labels in the form of spec.inputs and spec.output, and their extents.
struct drawn_labels {
    std::vector<std::vector<label_t>> tensors; ///< inputs, then the output
    extents_t extents;
};

drawn_labels draw_labels(random_source &random, std::size_t inputs, std::int64_t most_products) {
    drawn_labels drawn;
    drawn.tensors.resize(inputs + 1);
    std::int64_t products = 1;
    const auto count = random.integer(1, 2 * static_cast<std::int64_t>(inputs));
    for (label_t label = 0; label < count; ++label) {
        index_t extent = random.chance(0.02) ? 0 : random.chance(0.1) ? 1 : random.integer(2, 6);
        if (products * std::max<index_t>(extent, 1) > most_products)
            extent = 1;
        products *= std::max<index_t>(extent, 1);
        drawn.extents.push_back(extent);
        const std::int64_t carriers =
            random.chance(0.65) ? 2 : random.integer(1, static_cast<std::int64_t>(inputs));
        // If an input is drawn twice, it has the label twice: a diagonal.
        for (std::int64_t i = 0; i < carriers; ++i)
            drawn
                .tensors[static_cast<std::size_t>(
                    random.integer(0, static_cast<std::int64_t>(inputs) - 1))]
                .push_back(label);
        if (random.chance(0.35))
            drawn.tensors.back().push_back(label);
    }
    for (auto &labels : drawn.tensors)
        random.shuffle(labels);
    return drawn;
}

std::string complex_text(scalar value) {
    return std::to_string(value.real()) + "+" + std::to_string(value.imag()) + "i";
}

} // namespace

std::vector<input> random_network_problem::operands() const {
    std::vector<input> all;
    for (const network_tensor &one : inputs)
        all.push_back(one.in());
    return all;
}

std::string random_network_problem::describe() const {
    std::string text = spec.to_string() + " " + std::string(name(inputs[0].type));
    for (const network_tensor &one : inputs)
        text += "\n" + one.shape.describe() + (one.conjugated ? ", conj" : "");
    text += "\nC: " + c.shape.describe() + (c.conjugated ? ", conj" : "");
    text += "\nD: " + d.shape.describe() + (in_place ? ", in place" : "");
    return text + "\nalpha " + complex_text(alpha) + ", beta " + complex_text(beta);
}

random_network_problem make_random_network(random_source &random, int inputs,
                                           std::int64_t most_products,
                                           std::optional<data_type> wanted) {
    const drawn_labels drawn = draw_labels(random, static_cast<std::size_t>(inputs), most_products);
    random_network_problem problem;
    problem.spec.inputs.assign(drawn.tensors.begin(), drawn.tensors.end() - 1);
    problem.spec.output = drawn.tensors.back();
    for (std::size_t label = 0; label < drawn.extents.size(); ++label)
        problem.spec.label_names.push_back(std::string(1, static_cast<char>('a' + label)));

    const data_type type = wanted.value_or(
        random.pick(std::vector<data_type>(std::begin(all_data_types), std::end(all_data_types))));
    const data_type result = output_type_of(type);
    const auto extents_of = [&](const std::vector<label_t> &labels) {
        extents_t extents;
        for (const label_t label : labels)
            extents.push_back(drawn.extents[static_cast<std::size_t>(label)]);
        return extents;
    };
    const int most = inputs > 5 ? 1 : 2; // products of many must fit 24 bits
    for (const auto &labels : problem.spec.inputs)
        problem.inputs.push_back(place(extents_of(labels), type, true, most, random));
    problem.d = place(extents_of(problem.spec.output), result, false, most, random);
    problem.in_place = random.chance(0.5);
    problem.c = problem.in_place
                    ? problem.d
                    : place(extents_of(problem.spec.output), result, true, most, random);

    const std::vector<double> factors{0, 1, 1, -1, 2, -3};
    problem.alpha = random.pick(factors);
    problem.beta = random.chance(0.4) ? 0.0 : random.pick(factors);
    if (is_complex(result) && random.chance(0.3)) {
        problem.alpha += scalar(0, 1);
        if (problem.beta != 0.0)
            problem.beta += scalar(0, -1);
    }
    return problem;
}

void poison(network_tensor &tensor) {
    std::memset(tensor.buffer.data(), 0xff, tensor.buffer.size());
}

bool same_values(const network_tensor &x, const network_tensor &y) {
    const bool single = x.type == data_type::f32 || x.type == data_type::c32;
    const std::size_t step = single ? sizeof(float) : sizeof(double);
    const auto read = [&](const network_tensor &from, std::size_t at) {
        float narrow = 0;
        double wide = 0;
        std::memcpy(single ? static_cast<void *>(&narrow) : static_cast<void *>(&wide),
                    from.buffer.data() + at, step);
        return single ? static_cast<double>(narrow) : wide;
    };
    for (std::size_t at = 0; at < x.buffer.size(); at += step) {
        const double left = read(x, at);
        const double right = read(y, at);
        if (!(left == right || (std::isnan(left) && std::isnan(right))))
            return false;
    }
    return true;
}

} // namespace tenfold::testing
