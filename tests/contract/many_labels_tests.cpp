// Tests that expressions may have any number of labels, and tensors up to 64 modes.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include <tenfold/tenfold.hpp>

#include "support/message_of.hpp"

namespace tenfold {
namespace {

using testing::message_of;

/// Matrices [[1, 1], [0, 1]], whose products count their factors.
TEST(ManyLabels, AChainOfTwoHundred) {
    constexpr int factors = 200;
    tensor<double> shear({2, 2}), d({2, 2});
    shear(0, 0) = shear(1, 1) = shear(0, 1) = 1;
    label_lists lists;
    for (int i = 0; i < factors; ++i)
        lists.inputs.push_back({i, i + 1});
    const std::vector<input> inputs(factors, shear);
    contract(parse(lists), inputs, d); // the implicit output is {0, 200}
    EXPECT_EQ(d(0, 0), 1);
    EXPECT_EQ(d(0, 1), factors);
    EXPECT_EQ(d(1, 0), 0);

    std::string text = "D[i0,i200]=";
    for (int i = 0; i < factors; ++i)
        text += (i > 0 ? "*A" : "A") + std::to_string(i) + "[i" + std::to_string(i) + ",i" +
                std::to_string(i + 1) + "]";
    d(0, 1) = 0;
    contract(text, inputs, d);
    EXPECT_EQ(d(0, 1), factors);
}

/// A ring of ten tensors, each with 20 labels of its own beside the two that it shares.
TEST(ManyLabels, TwoHundredOverFewTensors) {
    label_lists lists{.inputs = {}, .output = {{3, 150}}};
    std::vector<tensor<double>> tensors;
    std::vector<input> inputs;
    for (int i = 0; i < 10; ++i) {
        extents_t extents(20, 1);
        extents[4] = 2;
        extents.insert(extents.end(), {3, 3});
        std::vector<label_t> labels;
        for (int k = 0; k < 20; ++k)
            labels.push_back(20 * i + k);
        labels.insert(labels.end(), {200 + i, 200 + (i + 1) % 10});
        lists.inputs.push_back(labels);
        tensors.emplace_back(extents);
        std::fill_n(tensors.back().data(), tensors.back().size(), 1.0);
    }
    for (const tensor<double> &one : tensors)
        inputs.push_back(one);
    tensor<double> d({1, 1});
    contract(parse(lists), inputs, d);
    EXPECT_EQ(d(0, 0), 1024.0 * 59049) << "2^10 positions of own labels, 3^10 of shared ones";
}

/// numpy 1 stops at 32 modes.
TEST(ManyLabels, FortyModes) {
    label_lists lists{.inputs = std::vector<std::vector<label_t>>(2),
                      .output = std::vector<label_t>()};
    extents_t extents;
    for (int k = 0; k < 40; ++k) {
        lists.inputs[0].push_back(100 + k);
        lists.inputs[1].push_back(139 - k); // in the opposite order
        if (k < 3)
            lists.output->push_back(120 + k);
        extents.push_back(k >= 15 && k < 25 ? 2 : 1); // symmetric
    }
    tensor<double> a(extents), b(extents), d({2, 2, 2});
    for (index_t at = 0; at < 1024; ++at) {
        a.data()[at] = static_cast<double>(at);
        b.data()[at] = static_cast<double>((at * 7) % 11);
    }
    contract(parse(lists), std::array<input, 2>{a, b}, d);
    double expected[8] = {};
    for (int at = 0; at < 1024; ++at) { // label 115 + p is bit p of a, and bit 9 - p of b
        int reversed = 0;
        for (int bit = 0; bit < 10; ++bit)
            reversed |= (at >> bit & 1) << (9 - bit);
        expected[at >> 5 & 7] += at * ((reversed * 7) % 11);
    }
    for (int i = 0; i < 8; ++i)
        EXPECT_EQ(d.data()[i], expected[i]) << i;
}

TEST(ManyLabels, MoreModesThanSixtyFourAreRefused) {
    label_lists lists{.inputs = {{}}};
    for (int k = 0; k < 65; ++k)
        lists.inputs[0].push_back(k);
    const tensor<double> a(extents_t(65, 1));
    tensor<double> d(extents_t{});
    lists.output = std::vector<label_t>();
    EXPECT_EQ(
        message_of([&] { contract(parse(lists), std::array<input, 1>{a}, d); }, errc::unsupported),
        "A has 65 modes; at most 64 are supported");
}

} // namespace
} // namespace tenfold
