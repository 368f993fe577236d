// Tests plans: which algorithm is chosen, how plans describe themselves, and that they serve any
// data.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tenfold/tenfold.hpp>

#include "contract/dense_plan.hpp"

namespace tenfold {
namespace {

using testing::plan_for;

/// Modes in another order in each input do not fuse: products along one of them are added up.
template <class In, class Out> void check_sum_of_products() {
    constexpr std::size_t n = 16, terms = 8 * 8 * 8;
    std::vector<In> a(n * terms), b(terms * n);
    for (std::size_t i = 0; i < n * terms; ++i) {
        const auto number = [](std::size_t value) {
            const auto small = static_cast<int>(value % 11) - 5;
            if constexpr (std::is_integral_v<In>)
                return static_cast<In>(small);
            else
                return In(static_cast<float>(small));
        };
        a[i] = number(i * 7 + 1);
        b[i] = number(i * 5 + 2);
    }
    const auto planned = [](algorithm by, std::optional<byte_count> limit = std::nullopt) {
        return make_plan("ab=akhg*ghkb", input(data_type_of<In>, nullptr, layout({n, 8, 8, 8})),
                         input(data_type_of<In>, nullptr, layout({8, 8, 8, n})),
                         output(data_type_of<Out>, nullptr, layout({n, n})),
                         {.algorithm = by, .workspace_limit = limit, .threads = 1});
    };
    const auto result = [&](const contraction_plan &plan) {
        std::vector<Out> d(n * n, Out(3));
        EXPECT_TRUE(plan.execute(2.0, a.data(), b.data(), -1.0, d.data(), d.data()).ok());
        return d;
    };
    const std::vector<Out> expected = result(planned(algorithm::reference));
    const contraction_plan plan = planned(algorithm::gemm_loop);
    EXPECT_NE(plan.explain().find(" terms at once"), std::string::npos) << plan.explain();
    EXPECT_EQ(result(plan), expected);
    const byte_count limit = bytes(plan.workspace_size().value / 2);
    const contraction_plan limited = planned(algorithm::gemm_loop, limit);
    EXPECT_LE(limited.workspace_size().value, limit.value) << limited.explain();
    EXPECT_EQ(result(limited), expected);
}

TEST(Plan, SumsOfMixedProductsMultiplySeveralTermsAtOnce) {
    check_sum_of_products<bf16, float>();
    check_sum_of_products<f16, float>();
    check_sum_of_products<std::int8_t, std::int32_t>();
}

TEST(Plan, PermutationsArePricedAsTheirTranspositions) {
    const std::vector<int> permutation = {2, 0, 1};
    for (const extents_t &extents :
         {extents_t{3, 4, 5}, extents_t{40, 50, 60}, extents_t{300, 200, 100}}) {
        const layout a(extents), d(extents_t{extents[2], extents[0], extents[1]});
        const transpose_plan transposition(permutation, data_type::f64, a, data_type::f64, d);
        const contraction_plan plan = make_plan("abc->cab", input(data_type::f64, nullptr, a),
                                                output(data_type::f64, nullptr, d));
        EXPECT_EQ(plan.summary().seconds, transposition.predicted_seconds()) << plan.explain();
    }
}

/// A move that sums is a product with a vector of ones, and priced as one.
TEST(Plan, MovesThatSumArePricedAsTheProductsTheyRunAs) {
    constexpr index_t f = 11, g = 21, c = 5, a = 28, e = 17, b = 6, h = 221, d = 29;
    contract_options options;
    options.threads = 1;
    const auto seconds = [&](std::string_view expression, const extents_t &in,
                             const extents_t &out) {
        return make_plan(expression, input(data_type::f64, nullptr, layout(in)),
                         output(data_type::f64, nullptr, layout(out)), options)
            .summary()
            .seconds;
    };
    const double sum = seconds("hgfd->dfg", {h, g, f, d}, {d, f, g});
    const double back = seconds("dcaeb->abcde", {d, c, a, e, b}, {a, b, c, d, e});
    options.algorithm = algorithm::direct;
    const double product =
        plan_for("dm=dk*km", {d, f * g}, {f * g, c * a * e * b}, {d, c * a * e * b}, options)
            .summary()
            .seconds;
    options.algorithm = algorithm::ttgt;
    const auto whole =
        plan_for("abcde=fgcaeb*hgfd", {f, g, c, a, e, b}, {h, g, f, d}, {a, b, c, d, e}, options);
    EXPECT_LE(whole.summary().seconds, 1.2 * (sum + product + back)) << whole.explain();
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
