// Tests plans of contractions of more than two distributed tensors.
#include <gtest/gtest.h>
#include <tenfold/dist_sequence.hpp>
#include <tenfold/error.hpp>

#include "distributed/made_up_machine.hpp"
#include "support/message_of.hpp"

namespace tenfold::testing {
namespace {

dist_sequence plan_of(std::string_view expression, const std::vector<extents_t> &extents, int ranks,
                      const dist_options &options = {}) {
    std::vector<distribution> operands;
    for (const extents_t &one : extents)
        operands.push_back(distribution::block(one, ranks));
    return make_dist_sequence(parse(expression), data_type::f64, operands,
                              testing::on_wide(options));
}

TEST(DistSequencePlan, TakesTheCheapestOrder) {
    // (A B) C: 2 (10 x 1000 x 1000 + 10 x 1000 x 5); A (B C): 2 (1000 x 1000 x 5 + 10 x 1000 x 5).
    const std::vector<extents_t> chain{{10, 1000}, {1000, 1000}, {1000, 5}, {10, 5}};
    const dist_sequence plan = plan_of("il=ij*jk*kl", chain, 4);
    ASSERT_EQ(plan.steps().size(), 2u);
    EXPECT_EQ(plan.summary().flops, 2 * (5e6 + 5e4));
    EXPECT_EQ(plan.summary().flops_at_once, 2 * 2 * 5e7); // two products for each position
    EXPECT_EQ(plan.steps()[1].operands.size(), 2u);
    EXPECT_NE(plan.describe().find("X1"), std::string::npos) << plan.describe();
}

/// A chain moves no more than its steps do separately with an intermediate in the default
/// distribution.
TEST(DistSequencePlan, MovesNoMoreThanWithIntermediatesInTheDefaultDistribution) {
    struct one_case {
        const char *expression, *first, *second;
        std::vector<extents_t> extents; ///< inputs, output
        extents_t between;
    };
    // The cheapest order of these is from left to right.
    const std::vector<one_case> cases{
        {"abij=abef*efkl*klij",
         "abkl=abef*efkl",
         "abij=abkl*klij",
         {{40, 40, 40, 40}, {40, 40, 8, 8}, {8, 8, 8, 8}, {40, 40, 8, 8}},
         {40, 40, 8, 8}},
        {"il=ij*jk*kl",
         "ik=ij*jk",
         "il=ik*kl",
         {{64, 4096}, {4096, 64}, {64, 2048}, {64, 2048}},
         {64, 64}},
        {"ail=aij*ajk*akl",
         "aik=aij*ajk",
         "ail=aik*akl",
         {{16, 200, 100}, {16, 100, 50}, {16, 50, 300}, {16, 200, 300}},
         {16, 200, 50}},
    };
    bool saves = false;
    for (const one_case &one : cases)
        for (const int ranks : {2, 4, 7, 16, 64}) {
            SCOPED_TRACE(std::string(one.expression) + " on " + std::to_string(ranks));
            const auto moved = [](const dist_plan &plan) {
                return plan.summary().bytes_received.value + plan.summary().redistribution.value;
            };
            const auto &e = one.extents;
            const index_t apart = moved(make_dist_plan(parse(one.first), data_type::f64,
                                                       std::vector{e[0], e[1], one.between}, ranks,
                                                       testing::on_wide())) +
                                  moved(make_dist_plan(parse(one.second), data_type::f64,
                                                       std::vector{one.between, e[2], e[3]}, ranks,
                                                       testing::on_wide()));
            const dist_sequence plan = plan_of(one.expression, e, ranks);
            const index_t together =
                plan.summary().bytes_received.value + plan.summary().redistribution.value;
            // Flops count as well, and they may differ by a few per cent between grids.
            EXPECT_LE(static_cast<double>(together), 1.05 * static_cast<double>(apart))
                << plan.describe();
            saves = saves || together < apart;
        }
    EXPECT_TRUE(saves);
}

TEST(DistSequencePlan, TakesAnotherOrderWithinMemory) {
    // A B first takes 0.45 million multiply-adds and has an intermediate of 90000 elements; A C
    // first takes 0.54 million and has one of 1800.
    const std::vector<extents_t> extents{{300, 2}, {2, 300}, {300, 300, 3}, {3}};
    const dist_sequence free = plan_of("l=ij*jk*ikl", extents, 1);
    EXPECT_GE(free.summary().intermediates, bytes(90000 * 8));
    const byte_count limit = bytes(free.summary().peak.value * 9 / 10);
    const dist_sequence within = plan_of("l=ij*jk*ikl", extents, 1, {.memory_per_rank = limit});
    EXPECT_LE(within.summary().peak, limit);
    EXPECT_LT(within.summary().intermediates, bytes(90000 * 8));
    EXPECT_GT(within.summary().flops, free.summary().flops);
    EXPECT_NE(within.describe().find("within the memory per rank"), std::string::npos);
    // Reproducible bits must not depend on the limit, so that the order does not change and the
    // plan is refused.
    EXPECT_THROW(
        plan_of("l=ij*jk*ikl", extents, 1, {.reproducible = true, .memory_per_rank = limit}),
        error);
}

TEST(DistSequencePlan, KeepsToParentheses) {
    const std::vector<extents_t> chain{{10, 1000}, {1000, 1000}, {1000, 5}, {10, 5}};
    const dist_sequence plan = plan_of("il=(ij*jk)*kl", chain, 4);
    EXPECT_EQ(plan.summary().flops, 2 * (1e7 + 5e4));
    EXPECT_NE(plan.describe().find("2 steps, in the given order"), std::string::npos)
        << plan.describe();
    // No other order is taken where it does not fit.
    const std::vector<extents_t> extents{{300, 2}, {2, 300}, {300, 300, 3}, {3}};
    const dist_sequence free = plan_of("l=(ij*jk)*ikl", extents, 1);
    const byte_count limit = bytes(free.summary().peak.value * 9 / 10);
    EXPECT_NO_THROW((void)plan_of("l=ij*jk*ikl", extents, 1, {.memory_per_rank = limit}));
    const std::string refusal =
        message_of([&] { (void)plan_of("l=(ij*jk)*ikl", extents, 1, {.memory_per_rank = limit}); },
                   errc::workspace_too_small);
    EXPECT_NE(refusal.find("the least in the given order is "), std::string::npos) << refusal;
}

TEST(DistSequencePlan, BroadcastsNothing) {
    EXPECT_EQ(message_of(
                  [] {
                      (void)plan_of("ij,ij->ij", {{1, 6}, {4, 6}, {4, 6}}, 2);
                  },
                  errc::extent_mismatch),
              "label 'i': A mode 0 has extent 1, B mode 0 has extent 4");
    EXPECT_EQ(message_of(
                  [] {
                      (void)plan_of("ij,ij,i->ij", {{4, 6}, {4, 6}, {1}, {4, 6}}, 2);
                  },
                  errc::extent_mismatch),
              "label 'i': input 1 mode 0 has extent 4, input 3 mode 0 has extent 1");
}

TEST(DistSequencePlan, NamesTheLeastMemory) {
    const std::vector<extents_t> extents{{100, 20}, {20, 100}, {100, 30}, {100, 30}};
    const auto least_of = [&](index_t limit) -> index_t {
        try {
            plan_of("il=ij*jk*kl", extents, 4, {.memory_per_rank = bytes(limit)});
        } catch (const error &refusal) {
            EXPECT_EQ(refusal.code(), errc::workspace_too_small);
            const std::string text = refusal.what();
            return std::atoll(text.c_str() + text.rfind('(') + 1);
        }
        return 0;
    };
    const index_t least = least_of(1);
    ASSERT_GT(least, 1);
    EXPECT_EQ(least_of(least - 1), least);
    EXPECT_EQ(least_of(least), 0);
}

TEST(DistSequencePlan, PlansForAThousandRanks) {
    const dist_sequence plan = plan_of(
        "abij=abef*efkl*klij",
        {{200, 200, 200, 200}, {200, 200, 50, 50}, {50, 50, 50, 50}, {200, 200, 50, 50}}, 1024);
    EXPECT_EQ(plan.steps().size(), 2u);
    EXPECT_LT(plan.summary().peak, gib(1));
}

TEST(DistSequencePlan, MultipliesNothingWhereAnExtentOrAlphaIsZero) {
    const std::vector<extents_t> none{{6, 0}, {0, 8}, {8, 4}, {6, 4}};
    EXPECT_EQ(plan_of("il=ij*jk*kl", none, 4).summary().flops, 0);
    const std::vector<extents_t> some{{6, 5}, {5, 8}, {8, 4}, {6, 4}};
    EXPECT_EQ(plan_of("il=ij*jk*kl", some, 4, {.alpha = 0.0}).summary().flops, 0);
    EXPECT_GT(plan_of("il=ij*jk*kl", some, 4).summary().flops, 0);
}

} // namespace
} // namespace tenfold::testing
