// Tests plans' workspace: what a limit does to the choice, what is refused, and that plans use what
// they are given and no more.
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tenfold/tenfold.hpp>

#include "contract/dense_plan.hpp"

namespace tenfold {
namespace {

using testing::plan_for;

TEST(Plan, WorkspaceLimitChoosesAnotherAlgorithm) {
    const extents_t e{40, 40, 40, 40};
    const auto free = plan_for("abcd=aebf*dfce", e, e, e, {.algorithm = algorithm::ttgt});
    const byte_count limit = bytes(free.workspace_size().value / 2);
    ASSERT_GT(limit, mib(2));
    const auto bound = plan_for("abcd=aebf*dfce", e, e, e, {.workspace_limit = limit});
    EXPECT_LE(bound.workspace_size(), limit);
    EXPECT_NE(bound.summary().algorithm, algorithm::reference);
}

/// Returns the number in "needs at least N bytes"; 0 if the plan was accepted.
index_t least_workspace(std::string_view expression, const extents_t &extents,
                        const contract_options &options) {
    try {
        plan_for(expression, extents, extents, extents, options);
    } catch (const error &refused) {
        EXPECT_EQ(refused.code(), errc::workspace_too_small);
        const std::string message = refused.what();
        const std::string before = "needs at least ";
        return std::stoll(message.substr(message.find(before) + before.size()));
    }
    return 0;
}

TEST(Plan, ARefusedLimitStatesTheLeastThatWouldDo) {
    const extents_t e{40, 40, 40, 40};
    for (const algorithm one : {algorithm::ttgt, algorithm::fused, algorithm::gemm_loop})
        for (const int threads : {1, 4}) {
            SCOPED_TRACE(std::string(name(one)) + ", " + std::to_string(threads) + " threads");
            contract_options options{
                .algorithm = one, .workspace_limit = bytes(0), .threads = threads};
            const index_t least = least_workspace("abcd=aebf*dfce", e, options);
            if (one != algorithm::gemm_loop) { // gemm_loop streams
                ASSERT_GT(least, 0);
                EXPECT_LT(least, kib(64).value) << "it should be cut further";
                options.workspace_limit = bytes(least - 1);
                EXPECT_EQ(least_workspace("abcd=aebf*dfce", e, options), least);
            }
            options.workspace_limit = bytes(least);
            EXPECT_EQ(plan_for("abcd=aebf*dfce", e, e, e, options).workspace_size(), bytes(least));
        }
}

TEST(Plan, TtgtIsSlicedWhereItWouldTakeTooMuch) {
    const extents_t e{72, 72, 72, 72};
    const auto free = plan_for("abcd=aebf*dfce", e, e, e, {.threads = 1});
    ASSERT_EQ(free.summary().algorithm, algorithm::ttgt);
    EXPECT_FALSE(free.summary().without_limit);
    EXPECT_EQ(free.explain().find("shaped by"), std::string::npos);
    const auto sliced =
        plan_for("abcd=aebf*dfce", e, e, e, {.workspace_limit = mib(64), .threads = 1});
    EXPECT_EQ(sliced.summary().algorithm, algorithm::ttgt);
    EXPECT_LE(sliced.workspace_size(), mib(64));
    EXPECT_GT(sliced.workspace_size(), mib(16)) << "slices larger than these would fit";
    EXPECT_GT(sliced.summary().seconds, free.summary().seconds);
    ASSERT_TRUE(sliced.summary().without_limit);
    EXPECT_EQ(sliced.summary().without_limit->algorithm, algorithm::ttgt);
    EXPECT_EQ(sliced.summary().without_limit->workspace, free.workspace_size());
    EXPECT_DOUBLE_EQ(sliced.summary().without_limit->seconds, free.summary().seconds);
    const std::string text = sliced.explain();
    for (const char *piece :
         {"chosen: ttgt: slices: ", "shaped by the workspace limit of 64.0 MiB: "
                                    "without it ttgt"})
        EXPECT_NE(text.find(piece), std::string::npos) << piece << " is missing in:\n" << text;
}

TEST(Plan, ProductsMakeDoWithSmallerPanels) {
    const extents_t e{2000, 2000};
    const auto free = plan_for("ab=ak*kb", e, e, e, {.algorithm = algorithm::direct, .threads = 1});
    const byte_count half = bytes(free.workspace_size().value / 2);
    ASSERT_GT(half, kib(64));
    const auto limited =
        plan_for("ab=ak*kb", e, e, e,
                 {.algorithm = algorithm::direct, .workspace_limit = half, .threads = 1});
    EXPECT_LE(limited.workspace_size(), half);
    EXPECT_GT(limited.workspace_size().value, half.value / 3);
    EXPECT_GE(limited.summary().seconds, free.summary().seconds);
}

TEST(Plan, ARefusedLimitNamesTheAlgorithmThatNeedsLeast) {
    const layout square({256, 256});
    const input half(data_type::bf16, nullptr, square); // both matrices are packed
    try {
        make_plan("ab=ak*kb", half, half, output(data_type::f32, nullptr, square),
                  {.workspace_limit = kib(1)});
        FAIL() << "planned within 1 KiB; the reference must not be taken for lack of workspace";
    } catch (const error &refused) {
        EXPECT_EQ(refused.code(), errc::workspace_too_small);
        const std::string message = refused.what();
        EXPECT_EQ(message.find("this contraction needs at least "), 0U) << message;
        EXPECT_NE(message.find(" bytes of workspace, by algorithm 'direct', but the limit is 1024"),
                  std::string::npos)
            << message;
    }
}

TEST(Plan, AReproducibleChoiceDoesNotDependOnThreadsUnderALimit) {
    const extents_t e{30, 30, 30, 30};
    for (const index_t limit : {256, 512, 4096, 16384}) {
        contract_options options{.workspace_limit = kib(limit), .threads = 1, .reproducible = true};
        const auto one = plan_for("abcd=aebf*dfce", e, e, e, options).summary();
        options.threads = 8;
        const auto eight = plan_for("abcd=aebf*dfce", e, e, e, options).summary();
        EXPECT_EQ(one.algorithm, eight.algorithm) << limit << " KiB";
        EXPECT_LE(eight.workspace, kib(limit));
    }
}

std::vector<double> counted(index_t size) {
    std::vector<double> values(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<double>(i * 7 % 11) - 5;
    return values;
}

TEST(Plan, AMisalignedWorkspaceServesFromItsFirstLine) {
    const extents_t e{6, 7, 8, 9};
    const auto plan =
        plan_for("abcd=aebf*dfce", e, {10, 9, 5, 7}, {6, 8, 5, 10}, {.algorithm = algorithm::ttgt});
    const auto a = counted(6 * 7 * 8 * 9);
    const auto b = counted(10 * 9 * 5 * 7);
    std::vector<double> expected(6 * 8 * 5 * 10), found(expected.size());
    ASSERT_TRUE(plan.execute(1, a.data(), b.data(), 0, nullptr, expected.data()).ok());
    std::vector<std::byte> memory(static_cast<std::size_t>(plan.workspace_size().value) + 128);
    ASSERT_TRUE(
        plan.execute(1, a.data(), b.data(), 0, nullptr, found.data(), std::span(memory).subspan(1))
            .ok());
    EXPECT_EQ(found, expected);
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

} // namespace
} // namespace tenfold
