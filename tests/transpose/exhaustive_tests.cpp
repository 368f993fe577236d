// Tests every permutation of up to five modes, every pair of types, with and without beta, packed
// and as parts of larger tensors, on every instruction set.
#include <algorithm>
#include <array>
#include <numeric>

#include <gtest/gtest.h>

#include "compare.hpp"

namespace tenfold {
namespace {

using testing::random_source;

/// Extents around the widths of registers and cache lines.
const std::vector<index_t> edge_extents = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33};

extents_t random_extents(random_source &random, int order) {
    constexpr index_t most_elements = 6000;
    extents_t extents(static_cast<std::size_t>(order));
    index_t elements = 1;
    for (index_t &extent : extents) {
        do
            extent = random.pick(edge_extents);
        while (elements * extent > most_elements);
        elements *= extent;
    }
    random.shuffle(extents);
    return extents;
}

/// Returns the layout of these extents as a part of a tensor that is larger in every mode.
layout part_of_larger(random_source &random, const extents_t &extents) {
    extents_t outer = extents;
    for (index_t &extent : outer)
        extent += random.integer(0, 2);
    return layout::within(extents, outer);
}

void check_all(int order, int draws) {
    std::vector<int> permutation(static_cast<std::size_t>(order));
    std::iota(permutation.begin(), permutation.end(), 0);
    const std::vector<testing::type_pair> &types = testing::type_pairs();
    const std::array betas{scalar(0.0), scalar(1.0), scalar(-2.0)};
    const auto cases_of_one = static_cast<int>(types.size() * betas.size()) * draws;
    const int all = std::accumulate(permutation.begin(), permutation.end(), cases_of_one,
                                    [](int product, int i) { return product * (i + 1); });
    int number = 0;
    do {
        for (const testing::type_pair type : types)
            for (const scalar beta : betas)
                for (int draw = 0; draw < draws; ++draw) {
                    if (!testing::runs(++number, all))
                        continue;
                    SCOPED_TRACE(testing::rerun_line(number));
                    random_source random(number + 1'000'000 * order);
                    const extents_t extents = random_extents(random, order);
                    const bool packed = random.chance(0.5);
                    testing::transposition one;
                    one.type = type;
                    one.permutation = permutation;
                    one.a = packed ? layout(extents) : part_of_larger(random, extents);
                    const extents_t extents_b = testing::permuted(extents, permutation);
                    one.b = packed ? layout(extents_b) : part_of_larger(random, extents_b);
                    one.alpha = random.chance(0.5) ? 1.0 : 3.0;
                    one.beta = beta;
                    one.choices.stream_threshold = random.chance(0.5) ? 0 : -1;
                    one.shift = random.chance(0.5) ? 0 : random.integer(0, 16);
                    testing::expect_as_by_reference(one, random);
                    if (::testing::Test::HasFatalFailure())
                        return;
                }
    } while (std::next_permutation(permutation.begin(), permutation.end()));
}

/// Many short runs that follow each other and cannot be joined because they are converted.
TEST(Exhaustive, ManyShortRuns) {
    int number = 0;
    for (const testing::type_pair type : testing::type_pairs())
        for (const index_t run : {2, 3, 5, 17}) {
            SCOPED_TRACE(testing::rerun_line(++number));
            random_source random(number);
            const extents_t extents = {5000, run};
            testing::transposition one;
            one.type = type;
            one.permutation = {1, 0};
            one.a = layout(extents);
            one.b = layout({run, 5000});
            one.choices.stream_threshold = 0;
            one.shift = random.integer(0, 16);
            testing::expect_as_by_reference(one, random);
            if (HasFatalFailure())
                return;
        }
}

TEST(Exhaustive, OrderOne) { check_all(1, 20); }
TEST(Exhaustive, OrderTwo) { check_all(2, 20); }
TEST(Exhaustive, OrderThree) { check_all(3, 20); }
TEST(Exhaustive, OrderFour) { check_all(4, 6); }
TEST(Exhaustive, OrderFive) { check_all(5, 4); }

} // namespace
} // namespace tenfold
