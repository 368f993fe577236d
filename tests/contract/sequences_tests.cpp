// Tests plans of many inputs: how they describe themselves, and how workspace limits change them.
#include <optional>

#include <gtest/gtest.h>

#include <tenfold/tenfold.hpp>

#include "contract/front/plan_state.hpp"
#include "support/message_of.hpp"

namespace tenfold {
namespace {

/// Makes a plan for dense f64 tensors without data.
contraction_plan plan_for(std::string_view expression, const std::vector<extents_t> &inputs,
                          const extents_t &d, const contract_options &options = {}) {
    std::vector<input> tensors;
    for (const extents_t &extents : inputs)
        tensors.emplace_back(data_type::f64, nullptr, layout(extents));
    return make_plan(expression, tensors, output(data_type::f64, nullptr, layout(d)), options);
}

TEST(Sequence, SummaryAddsUpTheSteps) {
    const auto plan = plan_for("ad=ab*bc*cd", {{10, 100}, {100, 5}, {5, 50}}, {10, 50});
    const plan_summary &summary = plan.summary();
    ASSERT_EQ(summary.steps.size(), 2U);
    EXPECT_EQ(summary.steps[0].expression, "ac=ab*bc");
    EXPECT_EQ(summary.steps[0].operands, (std::vector<std::size_t>{0, 1}));
    EXPECT_EQ(summary.steps[0].result, bytes(8 * 10 * 5));
    EXPECT_EQ(summary.steps[1].operands, (std::vector<std::size_t>{3, 2}));
    EXPECT_EQ(summary.steps[1].result, bytes(8 * 10 * 50));
    EXPECT_DOUBLE_EQ(summary.flops, 2 * 7500);
    EXPECT_DOUBLE_EQ(summary.flops_at_once, 2.0 * 2 * 10 * 100 * 5 * 50);
    EXPECT_DOUBLE_EQ(summary.bytes, 8.0 * (1000 + 500 + 250 + 500));
    EXPECT_EQ(summary.largest_intermediate, bytes(8 * 50));
    EXPECT_DOUBLE_EQ(summary.seconds, summary.steps[0].seconds + summary.steps[1].seconds);
    EXPECT_EQ(summary.m, 10); // of the first step, which has more flops
    EXPECT_EQ(summary.n, 5);
    EXPECT_EQ(summary.k, 100);
    EXPECT_TRUE(summary.candidates.empty());

    const auto two = plan_for("ac=ab*bc", {{10, 100}, {100, 5}}, {10, 5});
    EXPECT_TRUE(two.summary().steps.empty());
    EXPECT_DOUBLE_EQ(two.summary().flops_at_once, two.summary().flops);
}

TEST(Sequence, SumsOfOneInputAreStepsOfTheirOwn) {
    const auto plan = plan_for("ab=ax*bc*c", {{10, 20}, {30, 40}, {40}}, {10, 30});
    std::vector<std::string> expressions;
    for (const step_summary &step : plan.summary().steps)
        expressions.push_back(step.expression);
    EXPECT_EQ(expressions, (std::vector<std::string>{"b=bc*c", "a=ax", "ab=a*b"}));
}

TEST(Sequence, ExplainTellsOrderAndSteps) {
    const std::string text =
        plan_for("ad=ab*bc*cd", {{10, 100}, {100, 5}, {5, 50}}, {10, 50}).explain();
    for (const char *piece :
         {"ad=ab*bc*cd, f64, 3 inputs", "2 steps, the fewest multiply-adds", "1.5e-05 GFLOP",
          "all loops at once: 0.001 GFLOP, 66.7 x", "largest intermediate 400 bytes",
          "1. X1 = input 1 * input 2: ac=ab*bc, 10 x 5 x 100 x 1", "2. D = X1 * input 3: ad=ac*cd",
          "predicted", "workspace"})
        EXPECT_NE(text.find(piece), std::string::npos) << piece << "\nis not in\n" << text;
    std::vector<extents_t> many(12, extents_t{4, 4});
    EXPECT_NE(plan_for("am=ab*bc*cd*de*ef*fg*gh*hi*ij*jk*kl*lm", many, {4, 4})
                  .explain()
                  .find("11 steps, found greedily and improved piece by piece"),
              std::string::npos);
}

/// With more than ten inputs, not all orders are tried, and an untried one may need less workspace.
/// The error must not claim more than is known.
TEST(Sequence, RefusalsClaimWhatIsKnown) {
    const auto refusal = [](int inputs) {
        std::string expression = "a" + std::string(1, static_cast<char>('a' + inputs)) + "=";
        for (int i = 0; i < inputs; ++i)
            expression += std::string(i > 0 ? "*" : "") + static_cast<char>('a' + i) +
                          static_cast<char>('b' + i);
        const std::vector<extents_t> matrices(static_cast<std::size_t>(inputs), extents_t{4, 4});
        return testing::message_of(
            [&] {
                plan_for(expression.c_str(), matrices, {4, 4}, {.workspace_limit = bytes(1)});
            },
            errc::workspace_too_small);
    };
    EXPECT_EQ(refusal(10).find("this contraction needs at least "), 0U) << refusal(10);
    EXPECT_EQ(refusal(11).find("each order of this contraction that was tried needs at least "), 0U)
        << refusal(11);
}

TEST(Sequence, LessMemoryTakesAnotherOrder) {
    // (ab bc) cd takes 800 + 800 multiply-adds and an intermediate of 200 elements; ab (bc cd)
    // takes 32 + 1600 and one of 16.
    const std::vector<extents_t> inputs{{100, 4}, {4, 2}, {2, 4}};
    const auto plan = [&](std::optional<byte_count> limit) {
        return plan_for("ad=ab*bc*cd", inputs, {100, 4},
                        {.algorithm = algorithm::reference, .workspace_limit = limit});
    };
    EXPECT_EQ(plan(std::nullopt).workspace_size(), bytes(1600));
    EXPECT_EQ(plan(std::nullopt).summary().flops, 2 * 1600);
    EXPECT_EQ(plan(bytes(1600)).summary().flops, 2 * 1600);
    EXPECT_EQ(plan(bytes(1599)).summary().flops, 2 * 1632);
    EXPECT_EQ(plan(bytes(1599)).workspace_size(), bytes(128));
    EXPECT_NE(
        plan(bytes(1599)).explain().find("the fewest multiply-adds within the workspace limit"),
        std::string::npos);
    EXPECT_EQ(plan(bytes(128)).workspace_size(), bytes(128));
    try {
        (void)plan(bytes(127));
        ADD_FAILURE() << "accepted";
    } catch (const error &refused) {
        EXPECT_EQ(refused.code(), errc::workspace_too_small);
        EXPECT_STREQ(refused.what(), "this contraction needs at least 128 bytes of workspace, but "
                                     "the limit is 127");
    }
}

TEST(Sequence, IntermediatesOfAChainShareMemory) {
    // The reference needs no workspace.
    std::vector<extents_t> matrices(12, extents_t{32, 32});
    const auto plan = plan_for("am=ab*bc*cd*de*ef*fg*gh*hi*ij*jk*kl*lm", matrices, {32, 32},
                               {.algorithm = algorithm::reference});
    EXPECT_EQ(plan.summary().largest_intermediate, kib(8));
    const double peak = contract_impl::whole_of(plan).sequence->path.peak;
    EXPECT_LE(peak, 4 * 32 * 32);
    EXPECT_EQ(plan.workspace_size(), bytes(8 * static_cast<index_t>(peak)));
}

TEST(Sequence, ModesOfIntermediatesAreThoseOfMatrices) {
    // Whichever pair comes first, the next step reads the intermediate with k and c, or l and d, as
    // one mode.
    const auto plan = plan_for("abij=klcd*kcai*ldbj",
                               {{6, 5, 20, 21}, {6, 20, 22, 7}, {5, 21, 23, 8}}, {22, 23, 7, 8});
    ASSERT_EQ(plan.summary().steps.size(), 2U);
    const auto &last =
        contract_impl::whole_of(contract_impl::whole_of(plan).sequence->steps.back().plan).problem;
    EXPECT_EQ(last.k.size(), 1U);
}

TEST(Sequence, AlgorithmsThatCannotSayInWhichStep) {
    try {
        plan_for("il=ij*jk*kl", {{3, 4}, {4, 5}, {5, 6}}, {3, 6},
                 {.algorithm = algorithm::gemm_loop});
        ADD_FAILURE() << "accepted";
    } catch (const error &refused) {
        EXPECT_EQ(refused.code(), errc::unsupported);
        EXPECT_NE(std::string(refused.what()).find("; it is step 1 of 2, "), std::string::npos)
            << refused.what();
    }
}

TEST(Sequence, IntermediatesThatDoNotFit64BitsAreRefused) {
    // Four tensors, each of which shares a label with every other: any two leave four labels.
    const index_t large = index_t{1} << 19;
    const input cube(data_type::f64, nullptr, layout({large, large, large}, {0, 0, 0}));
    const output number(data_type::f64, nullptr, layout(extents_t{}));
    try {
        (void)make_plan("=xyz*xuv*yuw*zvw", {cube, cube, cube, cube}, number);
        ADD_FAILURE() << "accepted";
    } catch (const error &refused) {
        EXPECT_EQ(refused.code(), errc::overflow);
        EXPECT_STREQ(refused.what(),
                     "an intermediate with labels 'x', 'v', 'y', 'w': number of elements: "
                     "144115188075855872 x 524288 does not fit 64 bits");
    }
}

} // namespace
} // namespace tenfold
