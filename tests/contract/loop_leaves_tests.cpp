// Tests long sums of vector loops for a few elements of D: that they are cut into leaves by their
// passes alone, add up what the reference does, and have the same bits on any number of threads.
#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include <tenfold/tenfold.hpp>

#include "contract/products/loop_leaves.hpp"
#include "support/random.hpp"

namespace tenfold::testing {
namespace {

using contract_impl::choose_loop_leaves;
using contract_impl::loop_leaves;
using contract_impl::loop_sums;

TEST(LoopLeaves, AreThereForLongSumsOfFewElements) {
    const auto leaves_of = [](const loop_sums &sums) { return choose_loop_leaves(sums).count; };
    const loop_sums one{.places = 1, .elements = 2, .terms = 1, .of_pass = 1e6, .size = 8};
    EXPECT_EQ(leaves_of(one), 64);
    loop_sums short_sum = one;
    short_sum.of_pass = 4095;
    EXPECT_EQ(leaves_of(short_sum), 1);
    short_sum.of_pass = 2 * 4096;
    EXPECT_EQ(leaves_of(short_sum), 4); // of two elements each
    loop_sums many_places = one;
    many_places.places = 64;
    EXPECT_EQ(leaves_of(many_places), 1);
    many_places.places = 16;
    EXPECT_EQ(leaves_of(many_places), 4);
    const loop_sums long_passes{
        .places = 1, .elements = 1024, .terms = 1e6, .of_pass = 1, .size = 16};
    EXPECT_EQ(leaves_of(long_passes), 2); // 32 KiB
    const loop_sums nothing_summed{
        .places = 1, .elements = 1024, .terms = 1, .of_pass = 1, .size = 8};
    EXPECT_EQ(leaves_of(nothing_summed), 1);
}

TEST(LoopLeaves, CoverSumsWithoutGapsAndNoneIsEmpty) {
    for (const bool cut_passes : {false, true})
        for (const index_t count : {2, 3, 64})
            for (const index_t length :
                 {index_t{64}, index_t{100}, index_t{4096}, index_t{100003}}) {
                const loop_leaves leaves{count, cut_passes};
                index_t next = 0;
                for (index_t leaf = 0; leaf < count; ++leaf) {
                    const auto part =
                        leaves.part_of(leaf, cut_passes ? 7 : length, cut_passes ? length : 7);
                    const base::range &cut = cut_passes ? part.pass : part.terms;
                    const base::range &whole = cut_passes ? part.terms : part.pass;
                    EXPECT_EQ(cut.begin, next);
                    EXPECT_GT(cut.end, cut.begin);
                    next = cut.end;
                    EXPECT_EQ(whole.begin, 0);
                    EXPECT_EQ(whole.end, 7);
                }
                EXPECT_EQ(next, length);
            }
}

/// A dense contraction of two tensors by vector loops, with numbers of one type.
template <class T> struct looped_sum {
    std::string expression;
    std::map<std::string, index_t> extents;
    std::vector<T> a, b, d;

    layout layout_of(const contraction_spec &spec, const std::vector<label_t> &labels) const {
        extents_t own;
        for (const label_t label : labels)
            own.push_back(extents.at(spec.label_names[static_cast<std::size_t>(label)]));
        return layout(own);
    }

    /// Fills the tensors with whole numbers, or with fractions.
    void fill(random_source &random, bool whole) {
        const contraction_spec spec = parse(expression);
        const auto fill_one = [&](std::vector<T> &one, const std::vector<label_t> &labels) {
            one.resize(static_cast<std::size_t>(layout_of(spec, labels).size()));
            for (T &x : one) {
                const auto number = [&] {
                    return whole ? static_cast<double>(random.integer(-4, 4))
                                 : static_cast<double>(random.integer(-100000, 100000)) * 1e-5;
                };
                if constexpr (element_traits<T>::is_complex)
                    x = T(static_cast<typename element_traits<T>::real>(number()),
                          static_cast<typename element_traits<T>::real>(number()));
                else
                    x = static_cast<T>(number());
            }
        };
        fill_one(a, spec.inputs[0]);
        fill_one(b, spec.inputs[1]);
        fill_one(d, spec.output);
    }

    contraction_plan plan(algorithm by, int threads) const {
        const contraction_spec spec = parse(expression);
        const std::vector<input> inputs{
            input(element_traits<T>::value, nullptr, layout_of(spec, spec.inputs[0])),
            input(element_traits<T>::value, nullptr, layout_of(spec, spec.inputs[1]))};
        const output to(element_traits<T>::value, nullptr, layout_of(spec, spec.output));
        contract_options options;
        options.algorithm = by;
        options.threads = threads;
        return make_plan(spec, inputs, to, to, options);
    }

    std::vector<T> result(const contraction_plan &plan, scalar alpha, scalar beta) const {
        std::vector<T> sums = d;
        if (beta == 0.0)
            std::fill(sums.begin(), sums.end(), T(std::nan("")));
        EXPECT_TRUE(plan.execute(alpha, a.data(), b.data(), beta, sums.data(), sums.data()).ok());
        return sums;
    }
};

struct sum_case {
    const char *expression;
    std::map<std::string, index_t> extents;
};
/// Side by side; one element of every line; passes along D with the sum around them; dot products
/// of several positions; a sum of several passes each.
const std::vector<sum_case> sum_cases{
    {"a=abc*abc", {{"a", 2}, {"b", 70}, {"c", 301}}},
    {"a=abc*abc", {{"a", 7}, {"b", 70}, {"c", 67}}},
    {"ad=abcd*abcd", {{"a", 3}, {"b", 50}, {"c", 67}, {"d", 3}}},
    {"a=bca*cab", {{"a", 3}, {"b", 70}, {"c", 67}}},
    {"a=abc*acb", {{"a", 60}, {"b", 30}, {"c", 27}}},
    {"a=abc*cba", {{"a", 5}, {"b", 130}, {"c", 67}}},
    {"ab=cab*cab", {{"a", 3}, {"b", 4}, {"c", 5003}}},
};

template <class T> class LoopLeavesOf : public ::testing::Test {};
TYPED_TEST_SUITE(LoopLeavesOf, list_of_arithmetic_types<::testing::Types>);

TYPED_TEST(LoopLeavesOf, SumWhatTheReferenceSums) {
    random_source random(1);
    int in_leaves = 0;
    for (const auto &[expression, extents] : sum_cases) {
        looped_sum<TypeParam> sum{expression, extents, {}, {}, {}};
        sum.fill(random, true);
        const contraction_plan reference = sum.plan(algorithm::reference, 1);
        for (const int threads : {1, 2, 3, 5}) {
            const contraction_plan loops = sum.plan(algorithm::loops, threads);
            SCOPED_TRACE(expression + (", " + loops.explain()));
            in_leaves += loops.explain().find(" leaves") != std::string::npos ? 1 : 0;
            for (const double beta : {0.0, -1.0})
                EXPECT_EQ(sum.result(loops, 2.0, beta), sum.result(reference, 2.0, beta));
        }
    }
    EXPECT_GT(in_leaves, 4 * 4); // most of them
}

TYPED_TEST(LoopLeavesOf, HaveTheSameBitsOnAnyNumberOfThreads) {
    random_source random(2);
    for (const auto &[expression, extents] : sum_cases) {
        looped_sum<TypeParam> sum{expression, extents, {}, {}, {}};
        sum.fill(random, false);
        std::map<std::string, std::vector<TypeParam>> by_passes;
        for (const int threads : {1, 2, 3, 8}) {
            const contraction_plan loops = sum.plan(algorithm::loops, threads);
            std::string passes;
            for (const candidate_summary &one : loops.summary().candidates)
                if (one.algorithm == algorithm::loops)
                    passes = one.description;
            const auto result = sum.result(loops, 1.5, -0.5);
            EXPECT_EQ(by_passes.try_emplace(passes, result).first->second, result) << passes;
        }
    }
}

} // namespace
} // namespace tenfold::testing
