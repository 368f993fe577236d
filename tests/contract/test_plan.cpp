// Plans: what is chosen, what it says of itself, and that its promises hold.
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include <tenfold/tenfold.hpp>

namespace tenfold {
namespace {

/// A plan for dense f64 tensors, with no data behind them.
contraction_plan plan_for(std::string_view expression, const extents_t &a, const extents_t &b,
                          const extents_t &d, const contract_options &options = {}) {
    return make_plan(expression, input(data_type::f64, nullptr, layout(a)),
                     input(data_type::f64, nullptr, layout(b)),
                     output(data_type::f64, nullptr, layout(d)), options);
}

std::vector<double> counted(index_t size) {
    std::vector<double> values(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<double>(i * 7 % 11) - 5;
    return values;
}

TEST(Plan, TensorsThatLieLikeMatricesAreMultipliedDirectly) {
    const auto plan = plan_for("abij=abef*efij", {20, 20, 9, 9}, {9, 9, 12, 12}, {20, 20, 12, 12});
    EXPECT_EQ(plan.summary().algorithm, algorithm::direct);
    EXPECT_EQ(plan.summary().m, 400);
    EXPECT_EQ(plan.summary().n, 144);
    EXPECT_EQ(plan.summary().k, 81);
    EXPECT_EQ(plan.summary().batch, 1);
    EXPECT_DOUBLE_EQ(plan.summary().flops, 2.0 * 400 * 144 * 81);
    EXPECT_DOUBLE_EQ(plan.summary().bytes, 8.0 * (400 * 81 + 81 * 144 + 400 * 144));
}

TEST(Plan, LargeInterleavedModesAreTransposed) {
    const auto plan =
        plan_for("abcd=aebf*dfce", {72, 72, 72, 72}, {72, 72, 72, 72}, {72, 72, 72, 72});
    EXPECT_EQ(plan.summary().algorithm, algorithm::ttgt);
}

TEST(Plan, BatchModesAreLoopedOver) {
    const auto plan = plan_for("abl=akl*kbl", {64, 32, 10}, {32, 48, 10}, {64, 48, 10});
    EXPECT_EQ(plan.summary().algorithm, algorithm::gemm_loop);
    EXPECT_EQ(plan.summary().batch, 10);
}

TEST(Plan, ElementwiseProductsNeedNoGemm) {
    const auto plan = plan_for("ab=ab*ab", {100, 100}, {100, 100}, {100, 100});
    EXPECT_EQ(plan.summary().algorithm, algorithm::loops);
    EXPECT_EQ(plan.workspace_size().value, 0);
}

TEST(Plan, CandidatesAreListedCheapestFirst) {
    const auto plan =
        plan_for("abcd=aebf*dfce", {24, 24, 24, 24}, {24, 24, 24, 24}, {24, 24, 24, 24});
    const auto &candidates = plan.summary().candidates;
    ASSERT_GE(candidates.size(), 4U);
    EXPECT_EQ(candidates.front().algorithm, plan.summary().algorithm);
    double last = 0;
    for (const auto &one : candidates) {
        EXPECT_FALSE(one.description.empty()) << name(one.algorithm);
        if (!one.possible || one.algorithm == algorithm::reference)
            continue;
        EXPECT_GE(one.seconds, last);
        last = one.seconds;
    }
}

TEST(Plan, ExplainTellsWhatWasChosenAndRejected) {
    const std::string text =
        plan_for("abcd=aebf*dfce", {72, 72, 72, 72}, {72, 72, 72, 72}, {72, 72, 72, 72}).explain();
    for (const char *piece :
         {"abcd=aebf*dfce", "f64", "chosen: ttgt", "5184 x 5184 x 5184", "workspace",
          "not gemm-loop", "not direct: the tensors do not lie like three matrices", "predicted"})
        EXPECT_NE(text.find(piece), std::string::npos) << piece << " is missing in:\n" << text;
}

TEST(Plan, AnAlgorithmThatCannotServeIsRefusedWithItsReason) {
    try {
        plan_for("abcd=aebf*dfce", {8, 8, 8, 8}, {8, 8, 8, 8}, {8, 8, 8, 8},
                 {.algorithm = algorithm::direct});
        FAIL() << "direct was accepted";
    } catch (const error &refused) {
        EXPECT_EQ(refused.code(), errc::unsupported);
        EXPECT_STREQ(refused.what(),
                     "algorithm 'direct' cannot do this contraction: the tensors do "
                     "not lie like three matrices");
    }
}

TEST(Plan, WorkspaceLimitChoosesAnotherAlgorithm) {
    const extents_t e{40, 40, 40, 40};
    const auto free = plan_for("abcd=aebf*dfce", e, e, e, {.algorithm = algorithm::ttgt});
    ASSERT_GT(free.workspace_size(), mib(20));
    const auto bound = plan_for("abcd=aebf*dfce", e, e, e, {.workspace_limit = mib(20)});
    EXPECT_LE(bound.workspace_size(), mib(20));
    EXPECT_NE(bound.summary().algorithm, algorithm::reference);
}

TEST(Plan, AForcedAlgorithmStatesTheLeastWorkspace) {
    const extents_t e{40, 40, 40, 40};
    const auto free = plan_for("abcd=aebf*dfce", e, e, e, {.algorithm = algorithm::ttgt});
    const std::string needed = std::to_string(free.workspace_size().value);
    try {
        plan_for("abcd=aebf*dfce", e, e, e,
                 {.algorithm = algorithm::ttgt, .workspace_limit = kib(64)});
        FAIL() << "64 KiB were accepted";
    } catch (const error &refused) {
        EXPECT_EQ(refused.code(), errc::workspace_too_small);
        EXPECT_NE(std::string(refused.what()).find(needed), std::string::npos) << refused.what();
    }
}

TEST(Plan, UsesTheWorkspaceItIsGivenAndNoMore) {
    const extents_t e{6, 7, 8, 9};
    const extents_t f{10, 9, 5, 7};
    const extents_t g{6, 8, 5, 10};
    for (const algorithm one : {algorithm::ttgt, algorithm::gemm_loop, algorithm::loops}) {
        const auto plan = plan_for("abcd=aebf*dfce", e, f, g, {.algorithm = one, .threads = 2});
        const auto a = counted(6 * 7 * 8 * 9);
        const auto b = counted(10 * 9 * 5 * 7);
        std::vector<double> own(6 * 8 * 5 * 10), pooled(own.size());
        ASSERT_TRUE(plan.execute(1, a.data(), b.data(), 0, nullptr, pooled.data()).ok());

        const auto size = static_cast<std::size_t>(plan.workspace_size().value);
        constexpr std::size_t guard = 64;
        auto *memory =
            static_cast<std::byte *>(std::aligned_alloc(64, size / 64 * 64 + 64 + guard));
        std::memset(memory, 0x5a, size + guard);
        ASSERT_TRUE(
            plan.execute(1, a.data(), b.data(), 0, nullptr, own.data(), {memory, size}).ok());
        for (std::size_t i = 0; i < guard; ++i)
            EXPECT_EQ(memory[size + i], std::byte{0x5a}) << name(one);
        std::free(memory);
        EXPECT_EQ(own, pooled) << name(one);
    }
}

TEST(Plan, IsAValueThatServesAnyData) {
    const auto plan = plan_for("ab=ak*kb", {3, 4}, {4, 5}, {3, 5});
    const contraction_plan copy = plan; // NOLINT(performance-unnecessary-copy-initialization)
    for (int round = 1; round <= 2; ++round) {
        std::vector<double> a(12, round), b(20, 1), d(15, -1);
        ASSERT_TRUE(copy.execute(1, a.data(), b.data(), 0, nullptr, d.data()).ok());
        EXPECT_EQ(d, std::vector<double>(15, 4.0 * round));
    }
}

TEST(Plan, TheExpressionsScalarMultipliesAlpha) {
    const auto plan = plan_for("a-=2*ak*k", {1, 1}, {1}, {1});
    const double a = 3, b = 5;
    double d = 100;
    ASSERT_TRUE(plan.execute(10, &a, &b, 1, &d, &d).ok());
    EXPECT_EQ(d, 100 - 2 * 10 * 15);
}

} // namespace
} // namespace tenfold
