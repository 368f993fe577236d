#include <gtest/gtest.h>
#include <tenfold/error.hpp>

#include "distributed/plan/plan_state.hpp"

namespace tenfold::testing {
namespace {

dist_plan planned(const char *expression, std::vector<extents_t> extents, int rank_count,
                  dist_options options = {}) {
    options.reproducible = true;
    std::vector<int> orders;
    for (std::size_t i = 0; i + 1 < extents.size(); ++i)
        orders.push_back(static_cast<int>(extents[i].size()));
    return make_dist_plan(parse(expression, orders), data_type::f64, extents, rank_count, options);
}

/// Leaves depend on extents alone.
TEST(Leaves, AreThoseOfTheGlobalProblem) {
    for (const int rank_count : {1, 3, 16, 1024}) {
        EXPECT_EQ(planned("mn=mk*kn", {{900, 4096}, {4096, 800}, {900, 800}}, rank_count)
                      .summary()
                      .leaves,
                  16);
        EXPECT_EQ(
            planned("mn=mk*kn", {{900, 511}, {511, 800}, {900, 800}}, rank_count).summary().leaves,
            1);
        EXPECT_EQ(
            planned("mn=mk*kn", {{900, 512}, {512, 800}, {900, 800}}, rank_count).summary().leaves,
            2);
        // Few elements with long sums have enough leaves for many ranks.
        EXPECT_EQ(planned("=i*i", {{1 << 20}, {1 << 20}, {}}, rank_count).summary().leaves, 1024);
        EXPECT_EQ(planned("mn=mk*kn", {{6, 0}, {0, 5}, {6, 5}}, rank_count).summary().leaves, 1);
    }
}

/// The longest label is halved first, and of equally long ones the last.
TEST(Leaves, HalveTheLongestLabelFirst) {
    const dist_plan plan = planned("mn=mkl*kln", {{900, 300, 10}, {300, 10, 800}, {900, 800}}, 1);
    const reproducible_impl::leaf_grid &leaves = internals::of(plan).leaves;
    ASSERT_EQ(leaves.count(), 8);
    using factors = std::vector<int>;
    EXPECT_EQ(leaves.factors(1), (factors{1, 1}));
    EXPECT_EQ(leaves.factors(4), (factors{1, 4}));
    EXPECT_EQ(leaves.factors(8), (factors{1, 8}));
    const dist_plan longer = planned("mn=mkl*kln", {{9, 300, 20}, {300, 20, 8}, {9, 8}}, 1);
    ASSERT_EQ(internals::of(longer).leaves.count(), 16);
    const dist_plan other = planned("mn=mkl*kln", {{9, 900, 10}, {900, 10, 8}, {9, 8}}, 1);
    ASSERT_EQ(internals::of(other).leaves.count(), 32);
    EXPECT_EQ(internals::of(other).leaves.factors(32), (factors{2, 16}));
    EXPECT_EQ(internals::of(other).leaves.factors(16), (factors{1, 16}));
    EXPECT_EQ(internals::of(other).leaves.labels(), (factors{2, 1}));
    const dist_plan scalar = planned("=abij*abij", {{8, 8, 64, 64}, {8, 8, 64, 64}, {}}, 1);
    EXPECT_EQ(internals::of(scalar).leaves.labels(), (factors{0, 1, 2, 3}));
    EXPECT_EQ(internals::of(scalar).leaves.factors(1024), (factors{1, 1, 64, 16}));
    const dist_plan thin = planned("=abi*abi", {{4, 2, 4096}, {4, 2, 4096}, {}}, 1);
    EXPECT_EQ(internals::of(thin).leaves.factors(128), (factors{4, 2, 16}));
}

/// Steps and ranks get whole nodes of the tree, which halving alone produces.
TEST(Leaves, RanksAndStepsGetNodes) {
    for (int rank_count = 1; rank_count <= 64; ++rank_count)
        for (const index_t k : {300, 700, 5000, 20000}) {
            const dist_plan plan = planned("mn=mk*kn", {{40, k}, {k, 30}, {40, 30}}, rank_count,
                                           {.step = step_size{.m = 7, .k = 100}});
            const auto &s = plan.summary();
            const index_t parts = s.grid.k * s.steps.k;
            EXPECT_EQ(parts & (parts - 1), 0) << plan.describe();
            EXPECT_EQ(parts, s.leaves) << plan.describe(); // none is shorter than a step
        }
}

TEST(Leaves, RefuseOtherCuts) {
    try {
        planned("mn=mk*kn", {{40, 5000}, {5000, 30}, {40, 30}}, 6,
                {.grid = processor_grid{.k = 6}});
        FAIL();
    } catch (const error &refusal) {
        EXPECT_EQ(refusal.code(), errc::invalid_argument);
    }
}

} // namespace
} // namespace tenfold::testing
