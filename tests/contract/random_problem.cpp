#include "contract/random_problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "base/with_type.hpp"

namespace tenfold::testing {
namespace {

/// How often a label occurs in A, B and D.
struct label_kind {
    int in_a, in_b, in_d;
};

label_kind random_kind(random_source &random, bool unary, bool diagonal_output) {
    std::vector<label_kind> kinds{{1, 0, 1}, {1, 0, 1}, {1, 0, 0}, {2, 0, 1}, {2, 0, 0}};
    if (!unary)
        kinds = {{1, 0, 1}, {1, 0, 1}, {0, 1, 1}, {0, 1, 1}, {1, 1, 0}, {1, 1, 0},
                 {1, 1, 1}, {1, 0, 0}, {0, 1, 0}, {2, 0, 1}, {1, 2, 0}, {2, 1, 1}};
    label_kind kind = random.pick(kinds);
    if (diagonal_output && kind.in_d == 1 && random.chance(0.3))
        kind.in_d = 2;
    return kind;
}

index_t random_extent(random_source &random) {
    if (random.chance(0.02))
        return 0;
    if (random.chance(0.1))
        return 1;
    if (random.chance(0.1))
        return random.integer(8, 40);
    return random.integer(2, 7);
}

template <class T> T small_integer(random_source &random) {
    if constexpr (element_traits<T>::is_complex)
        return T(static_cast<typename T::value_type>(random.integer(-3, 3)),
                 static_cast<typename T::value_type>(random.integer(-3, 3)));
    else
        return T(static_cast<float>(random.integer(-4, 4)));
}

template <class T> void fill(random_tensor &tensor, random_source &random) {
    T *data = reinterpret_cast<T *>(tensor.buffer.data());
    for (index_t i = 0; i < tensor.elements(); ++i)
        data[i] = small_integer<T>(random);
}

void fill(random_tensor &tensor, random_source &random) {
    base::with_type(tensor.type, [&]<class T>(T) { fill<T>(tensor, random); });
}

std::string text_of(scalar value) {
    return std::to_string(value.real()) +
           (value.imag() != 0 ? "+" + std::to_string(value.imag()) + "i" : "");
}

} // namespace

random_tensor make_random_tensor(const extents_t &extents, data_type type, bool zeros,
                                 random_source &random) {
    random_tensor tensor;
    tensor.type = type;
    std::vector<std::size_t> order(extents.size());
    for (std::size_t k = 0; k < order.size(); ++k)
        order[k] = k;
    if (random.chance(0.7))
        random.shuffle(order);
    extents_t strides(extents.size());
    constexpr index_t most_waste = 8; // gaps of all modes multiply
    index_t dense = 1;
    index_t step = random.chance(0.8) ? 1 : random.integer(2, 3);
    for (const std::size_t k : order) {
        if (zeros && random.chance(0.05)) {
            strides[k] = 0;
            continue;
        }
        const index_t extent = std::max<index_t>(extents[k], 1);
        const bool gap = step <= most_waste * dense && random.chance(0.25);
        strides[k] = random.chance(0.1) ? -step : step;
        step *= extent + (gap ? random.integer(1, 3) : 0);
        dense *= extent;
    }
    tensor.shape = layout(extents, strides);
    const side fence = random.chance(0.8) ? side::end : side::begin;
    const index_t margin = random.integer(0, 5);
    const index_t before = fence == side::begin ? 0 : margin;
    tensor.origin = before - tensor.shape.lowest();
    const index_t size = tensor.origin + tensor.shape.highest() + 1 + margin - before;
    tensor.buffer = make_fenced(size * size_of(type), fence);
    fill(tensor, random);
    return tensor;
}

std::string random_problem::describe() const {
    std::string text = spec.to_string();
    for (const random_tensor &one : inputs)
        text += " " + std::string(name(one.type));
    text += " -> " + std::string(name(d.type)) + ", C " + std::string(name(c.type));
    for (std::size_t i = 0; i < inputs.size(); ++i)
        text += std::string("\n") + static_cast<char>('A' + i) + ": " + inputs[i].shape.describe();
    text += "\nC: " + c.shape.describe() + "\nD: " + d.shape.describe();
    text += "\nalpha " + text_of(alpha) + ", beta " + text_of(beta);
    text += std::string(conjugate_a ? ", conj A" : "") + (conjugate_b ? ", conj B" : "") +
            (conjugate_c ? ", conj C" : "") + (in_place ? ", in place" : "");
    return text;
}

random_problem make_random_problem(random_source &random, std::int64_t most_products,
                                   std::optional<data_type> wanted) {
    random_problem problem;
    const bool unary = random.chance(0.12);
    problem.diagonal_output = random.chance(0.1);
    std::vector<std::vector<label_t>> labels(3); // A, B, D
    extents_t extent;
    std::int64_t products = 1;
    std::array<std::int64_t, 3> elements{1, 1, 1}; // a repeated label counts twice in its tensor
    const auto count = random.integer(0, unary ? 4 : 7);
    for (label_t label = 0; label < count; ++label) {
        const label_kind kind = random_kind(random, unary, problem.diagonal_output);
        index_t e = random_extent(random);
        const std::array<int, 3> occurrences{kind.in_a, kind.in_b, kind.in_d};
        const index_t grows_by = std::max<index_t>(e, 1);
        bool too_large = products * grows_by > most_products;
        for (std::size_t t = 0; t < elements.size(); ++t)
            too_large =
                too_large || elements[t] * (occurrences[t] == 2 ? grows_by * grows_by : grows_by) >
                                 most_products;
        if (too_large)
            e = 1;
        products *= std::max<index_t>(e, 1);
        for (std::size_t t = 0; t < elements.size(); ++t)
            for (int i = 0; i < occurrences[t]; ++i)
                elements[t] *= std::max<index_t>(e, 1);
        extent.push_back(e);
        problem.spec.label_names.push_back(std::string(1, static_cast<char>('a' + label)));
        for (int i = 0; i < kind.in_a; ++i)
            labels[0].push_back(label);
        for (int i = 0; i < kind.in_b; ++i)
            labels[1].push_back(label);
        for (int i = 0; i < kind.in_d; ++i)
            labels[2].push_back(label);
    }
    for (auto &one : labels)
        random.shuffle(one);
    problem.spec.inputs.assign(labels.begin(), labels.begin() + (unary ? 1 : 2));
    problem.spec.output = labels[2];

    const std::vector<data_type> types(std::begin(all_data_types), std::end(all_data_types));
    const data_type type = wanted.value_or(random.pick(types));
    std::array<data_type, 2> input_types{type, type};
    data_type output = output_type_of(type);
    data_type type_of_c = output;
    if (!wanted && random.chance(0.25)) { // converted to the type of the sums, and these to D's
        output = random.pick(types);
        for (data_type *one : {&input_types[0], &input_types[1], &type_of_c})
            do
                *one = random.pick(types);
            while (!converts_exactly(*one, output_type_of(output)));
    }
    const auto extents_of = [&](const std::vector<label_t> &of) {
        extents_t result;
        for (const label_t label : of)
            result.push_back(extent[static_cast<std::size_t>(label)]);
        return result;
    };
    for (std::size_t i = 0; i < problem.spec.inputs.size(); ++i)
        problem.inputs.push_back(
            make_random_tensor(extents_of(problem.spec.inputs[i]), input_types[i], true, random));
    problem.d = make_random_tensor(extents_of(labels[2]), output, false, random);
    problem.in_place = random.chance(0.6);
    if (problem.in_place)
        problem.c = problem.d;
    else
        problem.c = make_random_tensor(extents_of(labels[2]), type_of_c, true, random);

    const std::vector<double> factors{0, 1, 1, 1, -1, 2, -3};
    problem.alpha = random.pick(factors);
    problem.beta = random.chance(0.4) ? 0.0 : random.pick(factors);
    if (is_complex(output) && random.chance(0.3)) {
        problem.alpha += scalar(0, static_cast<double>(random.integer(-2, 2)));
        if (problem.beta != 0.0)
            problem.beta += scalar(0, static_cast<double>(random.integer(-2, 2)));
    }
    problem.conjugate_a = random.chance(0.2);
    problem.conjugate_b = !unary && random.chance(0.2);
    problem.conjugate_c = random.chance(0.2);
    return problem;
}

bool same_values(const random_tensor &x, const random_tensor &y) {
    return base::with_type(x.type, [&]<class T>(T) {
        using part = typename element_traits<T>::real;
        using number = typename element_traits<part>::output;
        for (std::size_t at = 0; at < x.buffer.size(); at += sizeof(part)) {
            part left, right;
            std::memcpy(static_cast<void *>(&left), x.buffer.data() + at, sizeof(part));
            std::memcpy(static_cast<void *>(&right), y.buffer.data() + at, sizeof(part));
            const auto l = static_cast<number>(left), r = static_cast<number>(right);
            if (!(l == r || (std::isnan(l) && std::isnan(r))))
                return false;
        }
        return true;
    });
}

} // namespace tenfold::testing
