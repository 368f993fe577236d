// Tests that large transpositions tell their context how fast the memory was.
#include <algorithm>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "base/context_of.hpp"
#include "base/learnt_memory.hpp"
#include "base/machine.hpp"
#include "base/rate_probe.hpp"
#include "support/temporary_folder.hpp"
#include "transpose/plan/plan_state.hpp"

namespace tenfold {
namespace {

using transpose_impl::plan_state;

TEST(Plan, LargeTranspositionsTellHowFastTheMemoryWas) {
    constexpr index_t rows = 400, columns = 300;
    const std::vector<int> permutation = {1, 0};
    const layout a({rows, columns}), b({columns, rows});
    plan_state plan({permutation, data_type::f64, a, data_type::f64, b, false}, {.threads = 1}, {});
    EXPECT_EQ(plan.learner, nullptr) << "nothing is learnt of what stays in caches";

    const auto learner = std::make_shared<base::learnt_memory>(/*shortest_seconds=*/0.0);
    learner->begin(base::machine_rates::typical_of(isa::generic), 2, {});
    plan.learner = learner;
    plan.as_copied_bytes = 1e6;
    plan.caches_help = false;
    const std::vector<double> from(rows * columns, 1.0);
    std::vector<double> to(rows * columns, 0.0);
    ASSERT_TRUE(plan.execute(1.0, from.data(), 1.0, to.data()).ok());
    ASSERT_TRUE(plan.execute(0.0, from.data(), 0.0, to.data()).ok());
    EXPECT_FALSE(learner->has_learnt()) << "updates and zeros are no copies";
    // Other programs may disturb one execution, or several.
    for (int i = 0; i < 10'000 && !learner->has_learnt(); ++i)
        ASSERT_TRUE(plan.execute(2.0, from.data(), 0.0, to.data()).ok());
    EXPECT_TRUE(learner->has_learnt());
    EXPECT_GT(learner->seen().one.fastest, 0);
    EXPECT_EQ(learner->seen().all, base::seen_copy{});
}

TEST(Plan, OnlyContextsThatLearnGiveALearner) {
    const base::machine &machine = base::machine_of(context::global());
    const index_t large = std::max(machine.l3.size, machine.l2.size) / 256; // of 16 KiB moved
    const auto made = [&](const context &ctx, const std::vector<int> &permutation, index_t run,
                          index_t columns) {
        const extents_t extents = {run, 2, columns};
        extents_t permuted;
        for (const int mode : permutation)
            permuted.push_back(extents[static_cast<std::size_t>(mode)]);
        return plan_state(
            {permutation, data_type::f64, layout(extents), data_type::f64, layout(permuted), false},
            {.ctx = &ctx}, {});
    };
    const std::vector<int> runs = {0, 2, 1}, tiles = {2, 1, 0};
    const base::rate_probe before =
        base::known_rate_probe.exchange([](const base::machine &, isa, base::machine_rates &) {});
    const testing::temporary_folder folder;
    settings chosen;
    chosen.calibration = folder.file("rates");
    const context learning(chosen);
    EXPECT_NE(made(learning, runs, 512, large).learner, nullptr);
    EXPECT_FALSE(made(learning, runs, 512, large).caches_help);
    const plan_state twice_l3 = made(learning, runs, 512, large / 32);
    EXPECT_NE(twice_l3.learner, nullptr);
    EXPECT_TRUE(twice_l3.caches_help);
    EXPECT_EQ(made(learning, runs, 512, 16).learner, nullptr);
    EXPECT_EQ(made(learning, runs, 8, 64 * large).learner, nullptr) << "runs are short";
    EXPECT_EQ(made(learning, tiles, 512, large).learner, nullptr) << "not a copy";
    EXPECT_EQ(made(context::global(), runs, 512, large).learner, nullptr); // calibration is off
    base::known_rate_probe = before;
}

} // namespace
} // namespace tenfold
