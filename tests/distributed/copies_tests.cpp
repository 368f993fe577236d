// Tests plans of contractions whose operands have copies.
#include <gtest/gtest.h>
#include <tenfold/dist_plan.hpp>
#include <tenfold/error.hpp>

#include "distributed/least_memory.hpp"
#include "distributed/made_up_machine.hpp"
#include "distributed/plan/copies.hpp"
#include "distributed/plan/plan_state.hpp"
#include "support/random.hpp"

namespace tenfold::testing {
namespace {

using namespace dist_impl;

dist_plan plan_of(const std::string &expression, const std::vector<distribution> &operands,
                  const dist_options &options = {}) {
    return make_dist_plan(parse(expression), data_type::f64, operands, on_wide(options));
}

/// A long column of A, and a small B that every rank has.
TEST(Copies, OfAnInputThatEveryRankHasAreNotMoved) {
    for (const int ranks : {2, 3, 4, 6, 8}) {
        const distribution rows({4800, 40}, {ranks, 1}, ranks);
        const distribution result({4800, 40}, {ranks, 1}, ranks);
        const distribution once = distribution::block({40, 40}, ranks);
        const distribution everywhere = distribution::replicated({40, 40}, ranks, ranks);
        const dist_plan moving = plan_of("mn=mk*kn", {rows, once, result});
        const dist_plan still = plan_of("mn=mk*kn", {rows, everywhere, result});
        EXPECT_GT(moving.summary().total_received.value, 0);
        EXPECT_EQ(still.summary().total_received.value, 0) << still.describe();
        EXPECT_EQ(still.summary().grid, (processor_grid{1, ranks, 1, 1}));
        EXPECT_EQ(still.layout_of(1), everywhere);
        EXPECT_TRUE(internals::of(still).in_place(B));
        EXPECT_LT(internals::of(still).seconds, internals::of(moving).seconds);
        EXPECT_EQ(still.summary().bound.value, 0);
        EXPECT_NE(still.describe().find("B in " + std::to_string(ranks) +
                                        " copies, each rank reads its panel from one"),
                  std::string::npos)
            << still.describe();
        EXPECT_NE(still.hash(), moving.hash());
    }
}

/// One copy of A for each group of ranks that multiplies another part of n.
TEST(Copies, ServeOneLayerOfTheGridEach) {
    dist_options options;
    options.grid = processor_grid{1, 2, 3, 1};
    const dist_plan free =
        plan_of("mn=mk*kn",
                {distribution::replicated({60, 40}, 6, 6), distribution::replicated({40, 90}, 6, 6),
                 distribution::block({60, 90}, 6)},
                options);
    EXPECT_EQ(free.summary().bytes_received, bytes(0));
    const distribution a = free.layout_of(0);
    EXPECT_EQ(a.copies(), 3);
    EXPECT_EQ(a.grid(), (std::vector<int>{2, 1}));
    EXPECT_EQ(free.layout_of(1).copies(), 2);
    EXPECT_EQ(free.layout_of(2).copies(), 1);
    const dist_plan placed =
        plan_of("mn=mk*kn", {a, free.layout_of(1), free.layout_of(2)}, options);
    EXPECT_EQ(placed.summary().total_received, bytes(0));
    for (const int which : {0, 1, 2})
        EXPECT_EQ(placed.layout_of(which),
                  std::vector(
                      {a, free.layout_of(1), free.layout_of(2)})[static_cast<std::size_t>(which)]);
    // The blocks of the tensors are all that ranks hold, except for local contractions.
    EXPECT_EQ(placed.summary().peak.value - placed.summary().workspace.value,
              8 * (30 * 40 + 40 * 30 + 30 * 30));
}

TEST(Copies, InAnotherOrderLieInPlaceToo) {
    const distribution one({6}, {2}, 4, {0, 1, 2, 3}, 2);
    EXPECT_TRUE(same_blocks(one, distribution({6}, {2}, 4, {2, 3, 0, 1}, 2)));
    EXPECT_TRUE(same_blocks(one, distribution({6}, {2}, 4, {2, 1, 0, 3}, 2)));
    EXPECT_FALSE(same_blocks(one, distribution({6}, {2}, 4, {1, 0, 2, 3}, 2)));
    EXPECT_FALSE(same_blocks(one, distribution({6}, {2}, 4)));
    EXPECT_FALSE(same_blocks(one, distribution({7}, {2}, 4, {0, 1, 2, 3}, 2)));
}

TEST(Copies, OfTheOutputCostWhatRanksReceiveForThem) {
    const int ranks = 4;
    const distribution a({64, 8}, {ranks, 1}, ranks);
    const distribution b = distribution::replicated({8, 16}, ranks, ranks);
    const dist_plan plan =
        plan_of("mn=mk*kn", {a, b, distribution::replicated({64, 16}, ranks, ranks)},
                {.grid = processor_grid{1, ranks, 1, 1}});
    // Every rank computes a quarter and receives the rest.
    EXPECT_EQ(plan.summary().bytes_received, bytes(0));
    EXPECT_EQ(plan.summary().redistribution, bytes(8 * 48 * 16));
    EXPECT_EQ(plan.summary().keeping_copies_equal, bytes(8 * 48 * 16));
    EXPECT_NE(plan.describe().find("D in 4 copies, kept equal with 6144 bytes per rank"),
              std::string::npos)
        << plan.describe();
    const dist_plan once = plan_of("mn=mk*kn", {a, b, distribution({64, 16}, {ranks, 1}, ranks)});
    EXPECT_EQ(once.summary().keeping_copies_equal, bytes(0));
    EXPECT_EQ(once.describe().find("D in"), std::string::npos);
}

TEST(Copies, OfInputsNeverMakePlansSlower) {
    for (const int test_case : cases(60)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const int ranks = static_cast<int>(random.integer(1, 12));
        const index_t m = random.integer(1, 40), n = random.integer(1, 40),
                      k = random.integer(1, 40);
        const std::vector<extents_t> extents{{m, k}, {k, n}, {m, n}};
        std::vector<distribution> once, more;
        for (std::size_t i = 0; i < 3; ++i) {
            once.push_back(distribution::replicated(extents[i], ranks, 1));
            more.push_back(i < 2 ? distribution::replicated(extents[i], ranks, ranks) : once[i]);
        }
        const dist_plan held = plan_of("mn=mk*kn", more);
        const dist_plan moved = plan_of("mn=mk*kn", once);
        EXPECT_LE(internals::of(held).seconds, internals::of(moved).seconds);
    }
}

/// A panel of fewer elements than a team has ranks: the last rank has it all, but not the others.
TEST(Copies, OfOneElementAreRead) {
    for (const int ranks : {2, 9, 12}) {
        const dist_plan plan = plan_of("mn=mk*kn", {distribution::replicated({1, 1}, ranks, ranks),
                                                    distribution::replicated({1, 9}, ranks, ranks),
                                                    distribution::block({1, 9}, ranks)});
        EXPECT_GT(plan.summary().grid.n, 1);
        EXPECT_TRUE(internals::of(plan).where.choice().copied[A]) << plan.describe();
        EXPECT_EQ(plan.summary().bytes_received, bytes(0)) << plan.describe();
    }
}

TEST(Copies, KeepWithinMemoryOrSayWhatIsNeeded) {
    for (const int test_case : cases(20)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const int ranks = static_cast<int>(random.integer(2, 8));
        const std::vector<distribution> operands{
            distribution::replicated({60, 50}, ranks, static_cast<int>(random.integer(1, ranks))),
            distribution::replicated({50, 70}, ranks, static_cast<int>(random.integer(1, ranks))),
            distribution::replicated({60, 70}, ranks, static_cast<int>(random.integer(1, ranks)))};
        const auto plan_within = [&](index_t limit) {
            return plan_of("mn=mk*kn", operands, {.memory_per_rank = bytes(limit)});
        };
        const index_t least = least_named_by([&] { plan_within(16); });
        ASSERT_GT(least, 16);
        EXPECT_LE(plan_within(least).summary().peak.value, least);
        EXPECT_EQ(least_named_by([&] { plan_within(least - 1); }), least);
    }
}

} // namespace
} // namespace tenfold::testing
