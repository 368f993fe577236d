// Tests plans: which algorithm is chosen, how plans describe themselves, and that they keep their
// promises.
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tenfold/tenfold.hpp>

namespace tenfold {
namespace {

/// Makes a plan for dense f64 tensors without data.
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

TEST(Plan, OneElementReadOverAndOverTakesTimeToo) {
    const index_t n = 1 << 20;
    const layout repeated({n, n}, {0, 0});
    const auto plan = make_plan("ij,ij->", input(data_type::f64, nullptr, repeated),
                                input(data_type::f64, nullptr, repeated),
                                output(data_type::f64, nullptr, layout(extents_t{})));
    const double most_per_second = 1e12; // multiply-adds of a core
    const double products = static_cast<double>(n) * static_cast<double>(n);
    EXPECT_GT(plan.summary().seconds, products / most_per_second);
}

TEST(Plan, RowsThatLiePagesApartInMemoryAreNotReadOneByOne) {
    // A's mode e is the fastest, and its mode c lies 48 kB apart: short rows along c would be read
    // from another page each.
    const auto plan =
        plan_for("cbad=ebacd*e", {5, 12, 100, 60, 80}, {5}, {60, 12, 100, 80}, {.threads = 1});
    EXPECT_NE(plan.summary().algorithm, algorithm::gemm_loop) << plan.explain();
}

TEST(Plan, CandidatesAreListedCheapestFirst) {
    const auto plan =
        plan_for("abcd=aebf*dfce", {24, 24, 24, 24}, {24, 24, 24, 24}, {24, 24, 24, 24});
    const auto &candidates = plan.summary().candidates;
    ASSERT_GE(candidates.size(), 4U);
    double last = 0;
    for (const auto &one : candidates) {
        EXPECT_FALSE(one.description.empty()) << name(one.algorithm);
        if (!one.possible || one.algorithm == algorithm::reference)
            continue;
        EXPECT_GE(one.seconds, last);
        last = one.seconds;
    }
}

TEST(Plan, OfEqualPredictionsTheOneThatCopiesLeastIsChosen) {
    const auto copying = [](algorithm which) {
        return which == algorithm::ttgt ? 2 : which == algorithm::fused ? 1 : 0;
    };
    int alike = 0;
    for (index_t n = 8; n <= 64; ++n) {
        const auto plan = plan_for("abc=acd*db", {n, n, n}, {n, n}, {n, n, n});
        const auto &candidates = plan.summary().candidates;
        EXPECT_LE(plan.summary().seconds, 1.03 * candidates.front().seconds);
        for (const auto &one : candidates)
            if (one.possible && one.algorithm != algorithm::reference &&
                one.seconds <= 1.03 * candidates.front().seconds) {
                EXPECT_GE(copying(one.algorithm), copying(plan.summary().algorithm)) << n;
                alike += one.algorithm != plan.summary().algorithm;
            }
    }
    EXPECT_GT(alike, 0) << "no two predictions were alike";
}

TEST(Plan, ExplainTellsWhatWasChosenAndRejected) {
    const std::string text =
        plan_for("abcd=aebf*dfce", {72, 72, 72, 72}, {72, 72, 72, 72}, {72, 72, 72, 72}).explain();
    for (const char *piece :
         {"abcd=aebf*dfce", "f64", "chosen: ttgt", "5184 x 5184 x 5184", "workspace",
          "not gemm-loop", "not direct: the tensors do not lie like three matrices", "predicted"})
        EXPECT_NE(text.find(piece), std::string::npos) << piece << " is missing in:\n" << text;
}

TEST(Plan, ExplainKnowsNoRatiosOfNothing) {
    const std::vector<std::vector<extents_t>> cases{{{0, 3}, {3, 4}, {0, 4}},
                                                    {{5, 0}, {0, 4}, {5, 4}}};
    for (const std::vector<extents_t> &one : cases) {
        const std::string text = plan_for("ab=ak*kb", one[0], one[1], one[2]).explain();
        EXPECT_EQ(text.find("nan"), std::string::npos) << text;
        EXPECT_EQ(text.find("inf"), std::string::npos) << text;
        EXPECT_NE(text.find("  not "), std::string::npos) << text;
    }
}

/// With TENFOLD_TEST_TRAPS=1 (see CMakeLists.txt) any division by zero ends the program.
TEST(Plan, TinyLimitsAndExtentsArePlanned) {
    for (const index_t limit : {0, 1, 7, 64, 4096})
        for (const algorithm which : {algorithm::automatic, algorithm::gemm_loop, algorithm::ttgt,
                                      algorithm::fused, algorithm::loops})
            for (const int threads : {1, 2, 64})
                for (const bool reproducible : {false, true})
                    for (const index_t e : {0, 1, 3}) {
                        try {
                            const contraction_plan plan =
                                plan_for("abcd=aebf*dfce", {6, e, 7, 4}, {5, 4, 8, e}, {6, 7, 8, 5},
                                         {.algorithm = which,
                                          .workspace_limit = bytes(limit),
                                          .threads = threads,
                                          .reproducible = reproducible});
                            EXPECT_LE(plan.workspace_size(), bytes(limit));
                            EXPECT_FALSE(plan.explain().empty());
                        } catch (const error &refused) {
                            EXPECT_TRUE(refused.code() == errc::workspace_too_small ||
                                        refused.code() == errc::unsupported)
                                << refused.what();
                        }
                    }
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

TEST(Plan, NothingToMultiplyServesEveryAlgorithm) {
    for (const algorithm one : {algorithm::automatic, algorithm::direct, algorithm::gemm_loop,
                                algorithm::ttgt, algorithm::loops, algorithm::reference}) {
        const auto plan = plan_for("ab=ak*kb", {2, 0}, {0, 3}, {2, 3}, {.algorithm = one});
        std::vector<double> d{1, 2, 3, 4, 5, 6};
        ASSERT_TRUE(plan.execute(INFINITY, nullptr, nullptr, 2, d.data(), d.data()).ok());
        EXPECT_EQ(d, (std::vector<double>{2, 4, 6, 8, 10, 12})) << name(one);
    }
}

TEST(Plan, InfiniteAlphaIsARealNumber) {
    const auto plan = plan_for("ab=ak*kb", {1, 1}, {1, 1}, {1, 1});
    const double a = 2, b = 3;
    double d = 0;
    ASSERT_TRUE(plan.execute(INFINITY, &a, &b, 0, nullptr, &d).ok());
    EXPECT_EQ(d, INFINITY);
    EXPECT_THROW(plan_for("ab=ak*kb", {1, 1}, {1, 1}, {1, 1}, {.alpha = 2.0}), error);
}

TEST(Plan, TransposingKeepsEverySpecialValue) {
    const double inf = INFINITY, nan = NAN;
    const std::vector<c64> a{{inf, 0}, {nan, 3}, {1, -0.0}, {0, inf}};
    std::vector<c64> d(4);
    contract("ba=ab", tensor_view<const c64>(a.data(), {2, 2}), tensor_view<c64>(d.data(), {2, 2}));
    for (const auto &[from, to] : {std::pair{0, 0}, {1, 2}, {2, 1}, {3, 3}})
        EXPECT_EQ(std::memcmp(&a[static_cast<std::size_t>(from)], &d[static_cast<std::size_t>(to)],
                              sizeof(c64)),
                  0)
            << from;
}

TEST(Plan, DiagonalsBesideEachOtherDoNotOverlap) {
    std::vector<double> m{1, 2, 3, 4, 5, 6, 7, 8, 9};
    contract("i=ii", tensor_view<const double>(m.data(), {3, 3}),
             tensor_view<double>(m.data() + 1, {3}, {2}));
    EXPECT_EQ(m, (std::vector<double>{1, 1, 3, 5, 5, 9, 7, 8, 9}));
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
    const auto plan = plan_for("a=2*ak*k", {1, 1}, {1}, {1});
    const double a = 3, b = 5;
    double d = 100;
    ASSERT_TRUE(plan.execute(10, &a, &b, 1, &d, &d).ok());
    EXPECT_EQ(d, 100 + 2 * 10 * 15);
}

/// parse() makes valid specs only; others must be refused before their numbers are used.
TEST(Plan, SpecsMadeByHandAreChecked) {
    const layout square({4, 4});
    const std::vector<input> inputs(2, input(data_type::f64, nullptr, square));
    const output d(data_type::f64, nullptr, square);
    const auto refused = [&](const contraction_spec &spec, std::span<const input> given) {
        try {
            (void)make_plan(spec, given, d, d);
        } catch (const error &e) {
            return std::string(e.what());
        }
        return std::string("not refused");
    };
    contraction_spec spec = parse("ab=ac*cb");
    for (const char *text : {"ab=ac*cb", ""}) {
        spec.text = text;
        for (const label_t label : {3, 1000000, -1}) {
            spec.output.back() = label;
            EXPECT_EQ(refused(spec, inputs),
                      "label number " + std::to_string(label) + " has no name: there are 3 names");
        }
    }
    EXPECT_EQ(refused(contraction_spec{}, {}),
              "a contraction has at least one input, this one has none");
}

} // namespace
} // namespace tenfold
