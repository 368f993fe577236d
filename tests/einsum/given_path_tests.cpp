// Tests paths that the caller gives: their form, their costs, and what is refused.
#include <algorithm>

#include <gtest/gtest.h>

#include "einsum/parser/path_steps.hpp"
#include "networks.hpp"
#include "support/message_of.hpp"

namespace tenfold::testing {
namespace {

using einsum_impl::contraction_path;
using einsum_impl::find_paths;
using einsum_impl::network;
using einsum_impl::numbered;
using einsum_impl::path_origin;
using einsum_impl::positions_of;

/// Takes random operands out of a list until one is left; steps have up to `most` operands.
path_steps random_path(random_source &random, std::size_t inputs, std::size_t most) {
    path_steps path;
    for (std::size_t left = inputs; left > 1;) {
        std::vector<int> positions(left);
        for (std::size_t i = 0; i < left; ++i)
            positions[i] = static_cast<int>(i);
        random.shuffle(positions);
        positions.resize(static_cast<std::size_t>(
            random.integer(most > 2 ? 1 : 2, static_cast<std::int64_t>(std::min(most, left)))));
        left -= positions.size() - 1;
        path.push_back(positions);
    }
    return path;
}

TEST(PathSteps, PositionsAndNumbersAreInverse) {
    EXPECT_EQ(numbered({{1, 2}, {0, 1}}, 3),
              (std::vector<std::vector<std::size_t>>{{1, 2}, {0, 3}}));
    EXPECT_EQ(numbered({{0, 1}, {0, 1}, {0, 1}}, 4),
              (std::vector<std::vector<std::size_t>>{{0, 1}, {2, 3}, {4, 5}}));
    EXPECT_EQ(numbered({{0}}, 1), (std::vector<std::vector<std::size_t>>{{0}}));
    EXPECT_EQ(numbered({{0}, {1, 0}}, 2), (std::vector<std::vector<std::size_t>>{{0}, {2, 1}}));
    for (const int test_case : cases(1000)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const auto inputs = static_cast<std::size_t>(random.integer(1, 12));
        const path_steps path = random_path(random, inputs, inputs);
        if (path.empty())
            continue;
        ASSERT_EQ(positions_of(numbered(path, inputs), inputs), path);
    }
}

TEST(PathSteps, WrongPathsAreRefused) {
    const auto refusal = [](const path_steps &path, std::size_t inputs) {
        return message_of([&] { (void)numbered(path, inputs); }, errc::invalid_argument);
    };
    EXPECT_EQ(refusal({{0, 1}}, 3), "the path leaves 2 of 3 operands that are not contracted; add "
                                    "the steps that contract them");
    EXPECT_EQ(refusal({{0, 3}}, 3), "step 1 of the path names position 3, but the 3 operands that "
                                    "are left have positions 0 to 2");
    EXPECT_EQ(refusal({{0, 1}, {1, 2}}, 3), "step 2 of the path names position 2, but the 2 "
                                            "operands that are left have positions 0 to 1");
    EXPECT_EQ(refusal({{0, 1}, {0, 1}}, 2), "step 2 of the path names position 1, but the only "
                                            "operand that is left has position 0");
    EXPECT_EQ(refusal({{0, -1}}, 2), "step 1 of the path names position -1, but the 2 operands "
                                     "that are left have positions 0 to 1");
    EXPECT_EQ(refusal({{1, 1}}, 2), "step 1 of the path names position 1 twice");
    EXPECT_EQ(refusal({{0, 1}, {}}, 2), "step 2 of the path names no operand");
}

TEST(GivenPath, IsTakenStepByStep) {
    for (const int test_case : cases(1000)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const auto inputs = static_cast<std::size_t>(random.integer(3, 8));
        network net = random_network(random, inputs, 9);
        net.path = random_path(random, inputs, 2);
        const contraction_path path = find_paths(net, random.chance(0.5)).at(0);
        EXPECT_EQ(path.origin, path_origin::given);
        EXPECT_EQ(positions_of(path), net.path);
        const sequence_cost cost = replay(net, path);
        EXPECT_NEAR(path.multiply_adds, cost.multiply_adds, 1e-12 * cost.multiply_adds);
        EXPECT_EQ(path.peak, cost.peak);
        if (::testing::Test::HasFailure())
            return;
    }
}

TEST(GivenPath, TheCheapestOneGivenBackIsTheSame) {
    for (const int test_case : cases(300)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        network net = random_network(random, static_cast<std::size_t>(random.integer(3, 14)), 9);
        const contraction_path cheapest = find_paths(net, false).at(0);
        net.path = positions_of(cheapest);
        const contraction_path given = find_paths(net, false).at(0);
        ASSERT_EQ(positions_of(given), net.path);
        EXPECT_DOUBLE_EQ(given.multiply_adds, cheapest.multiply_adds);
        EXPECT_EQ(given.peak, cheapest.peak);
        for (std::size_t s = 0; s < given.steps.size(); ++s) {
            EXPECT_EQ(given.steps[s].left.sum_first, cheapest.steps[s].left.sum_first);
            EXPECT_EQ(given.steps[s].right.sum_first, cheapest.steps[s].right.sum_first);
        }
        if (::testing::Test::HasFailure())
            return;
    }
}

/// A step of all inputs is the free search; with one of some, the search goes on within it.
TEST(GivenPath, LargeStepsAreOrderedByTheirCost) {
    for (const int test_case : cases(300)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const auto inputs = static_cast<std::size_t>(random.integer(3, 13));
        network net = random_network(random, inputs, 9);
        const double free = find_paths(net, false).at(0).multiply_adds;
        net.path = einsum_impl::free_path(inputs);
        EXPECT_DOUBLE_EQ(find_paths(net, false).at(0).multiply_adds, free);

        net.path = random_path(random, inputs, inputs);
        const contraction_path path = find_paths(net, false).at(0);
        const sequence_cost cost = replay(net, path);
        EXPECT_NEAR(path.multiply_adds, cost.multiply_adds, 1e-12 * cost.multiply_adds);
        EXPECT_EQ(path.peak, cost.peak);
        if (inputs <= einsum_impl::most_optimal) {
            EXPECT_GE(path.multiply_adds, free * (1 - 1e-12));
        }
        if (::testing::Test::HasFailure())
            return;
    }
    // The first three, of which the last two are cheapest first.
    network net = network_of("ae=ab*bc*cd*de", {{"a", 100}, {"b", 100}, {"c", 100}, {"d", 2}}, 50);
    net.path = {{0, 1, 2}, {1, 0}};
    EXPECT_EQ(positions_of(find_paths(net, false).at(0)), (path_steps{{1, 2}, {0, 2}, {1, 0}}));
}

} // namespace
} // namespace tenfold::testing
