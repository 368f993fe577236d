// Epilogues of distributed contractions: each rank applies them to its own block, and all ranks
// agree on them.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <tenfold/contraction_epilogue.hpp>

#include "mpi/ranks.hpp"

namespace tenfold::testing {
namespace {

template <class T> class DistEpilogue : public ::testing::Test {};
using element_types = list_of_arithmetic_types<::testing::Types>;
TYPED_TEST_SUITE(DistEpilogue, element_types);

/// Tensors of an epilogue for an output of these extents, whole on every rank.
template <class T> struct whole_tensors {
    tensor<T> of_b, all;
    contraction_epilogue finish;

    explicit whole_tensors(const extents_t &extents)
        : of_b(make_values<T>({extents[1]}, 7)),
          all(make_values<T>({extents[2], extents[0], extents[1]}, 8)) {
        finish.add("b", of_b).scale(2.0).multiply("b", of_b).add("cab", all, -1.0);
    }
    T applied(T value, index_t a, index_t b, index_t c) const {
        return (value + of_b(b)) * T(2) * of_b(b) - all(c, a, b);
    }
};

TYPED_TEST(DistEpilogue, EqualsPlainLoopsOnAnyDistribution) {
    using T = TypeParam;
    const int size = ranks().size();
    for (const int test_case : cases_per_rank(60)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const index_t a = random.integer(1, 7), b = random.integer(1, 6), c = random.integer(1, 5);
        const index_t k = random.chance(0.1) ? 0 : random.integer(1, 8);
        dist_tensor<T> left(ranks(), {a, k}, random_distribution(random, {a, k}, size));
        dist_tensor<T> right(ranks(), {k, b, c}, random_distribution(random, {k, b, c}, size));
        dist_tensor<T> result(ranks(), {a, b, c}, random_distribution(random, {a, b, c}, size));
        fill_values(left, 1);
        fill_values(right, 2);
        fill_values(result, 3);
        const whole_tensors<T> with({a, b, c});
        contract("abc=ak*kbc", left, right, result,
                 {.alpha = -1.0,
                  .beta = 2.0,
                  .reproducible = random.chance(0.3),
                  .threads = static_cast<int>(random.integer(1, 2)),
                  .epilogue = &with.finish});

        const tensor<T> x = make_values<T>({a, k}, 1), y = make_values<T>({k, b, c}, 2);
        tensor<T> expected = make_values<T>({a, b, c}, 3);
        for_each_position({0, 0, 0}, {a, b, c}, [&](const extents_t &at) {
            T sum(0);
            for (index_t p = 0; p < k; ++p)
                sum += x(at[0], p) * y(p, at[1], at[2]);
            T &element = expected(at[0], at[1], at[2]);
            element = with.applied(T(2) * element - sum, at[0], at[1], at[2]);
        });
        ASSERT_TRUE(equal(result.gather_all(), expected));
    }
}

TEST(DistEpilogues, TheLastOfManyContractionsAppliesIt) {
    dist_tensor<double> a(ranks(), {4, 5}), b(ranks(), {5, 6}), c(ranks(), {6, 3});
    dist_tensor<double> d(ranks(), {4, 3});
    fill_values(a, 1);
    fill_values(b, 2);
    fill_values(c, 3);
    const tensor<double> bias = make_values<double>({4}, 4);
    contraction_epilogue finish;
    finish.add("i", bias).apply(elementwise::relu);
    contract("il=ij*jk*kl", {a, b, c}, d);
    tensor<double> expected = d.gather_all();
    for (index_t i = 0; i < 4; ++i)
        for (index_t l = 0; l < 3; ++l)
            expected(i, l) = std::max(0.0, expected(i, l) + bias(i));
    contract("il=ij*jk*kl", {a, b, c}, d, {.epilogue = &finish});
    EXPECT_TRUE(equal(d.gather_all(), expected));
}

TEST(DistEpilogues, ADiagonalOfTheOutputIsAllThatIsTouched) {
    for (const auto &grid : std::vector<std::vector<int>>{
             {1, ranks().size()}, {ranks().size(), 1}, {std::min(2, ranks().size()), 1}}) {
        dist_tensor<double> a(ranks(), {7});
        dist_tensor<double> d(ranks(), {7, 7}, distribution({7, 7}, grid, ranks().size()));
        fill_values(a, 1);
        d.fill(50.0);
        const tensor<double> bias = make_values<double>({7}, 2);
        contraction_epilogue finish;
        finish.add("i", bias);
        contract("ii=i", a, d, {.diagonal_output = true, .epilogue = &finish});
        const tensor<double> x = make_values<double>({7}, 1);
        tensor<double> expected({7, 7});
        for (index_t j = 0; j < 7; ++j)
            for (index_t i = 0; i < 7; ++i)
                expected(i, j) = i == j ? x(i) + bias(i) : 50;
        EXPECT_TRUE(equal(d.gather_all(), expected));
    }
}

TEST(DistEpilogues, RanksMustAgree) {
    dist_tensor<double> a(ranks(), {6, 5}), b(ranks(), {5, 8}), d(ranks(), {6, 8});
    d.fill(3.0);
    const tensor<double> bias = make_values<double>({8}, 4);
    contraction_epilogue finish, other;
    finish.add("n", bias);
    other.add("n", bias, 2.0);
    const bool odd = ranks().rank() == ranks().size() - 1 && ranks().size() > 1;
    const failure found =
        failure_of([&] { contract("mn=mk*kn", a, b, d, {.epilogue = odd ? &other : &finish}); });
    if (ranks().size() > 1) {
        EXPECT_EQ(found.code, errc::disagreement) << found.message;
        EXPECT_NE(found.message.find("add 2 'n' f64 (8)"), std::string::npos) << found.message;
        EXPECT_NE(found.message.find("add 1 'n' f64 (8)"), std::string::npos) << found.message;
        EXPECT_TRUE(same_on_all_ranks(found.message));
        const failure one_without = failure_of(
            [&] { contract("mn=mk*kn", a, b, d, {.epilogue = odd ? nullptr : &finish}); });
        EXPECT_EQ(one_without.code, errc::disagreement) << one_without.message;
        EXPECT_EQ(d.norm(), 3.0 * std::sqrt(48.0));
    }
}

TEST(DistEpilogues, AMistakeOnAnyRankIsAnErrorOnAll) {
    dist_tensor<double> a(ranks(), {6, 5}), b(ranks(), {5, 8}), d(ranks(), {6, 8});
    d.fill(3.0);
    const tensor<double> bias = make_values<double>({8}, 4);
    contraction_epilogue wrong;
    wrong.add("m", bias);
    const failure extents =
        failure_of([&] { contract("mn=mk*kn", a, b, d, {.epilogue = &wrong}); });
    EXPECT_EQ(extents.code, errc::extent_mismatch);
    EXPECT_EQ(extents.message,
              "label 'm': D mode 0 has extent 6, epilogue step 1 mode 0 has extent 8");

    contraction_epilogue null_somewhere;
    null_somewhere.add("n",
                       tensor_view<const double>(ranks().rank() == 0 ? nullptr : bias.data(), {8}));
    const failure null =
        failure_of([&] { contract("mn=mk*kn", a, b, d, {.epilogue = &null_somewhere}); });
    EXPECT_EQ(null.code, errc::null_pointer) << null.message;
    EXPECT_NE(null.message.find("epilogue step 1 is null where its elements are needed"),
              std::string::npos)
        << null.message;
    EXPECT_EQ(d.norm(), 3.0 * std::sqrt(48.0));
}

} // namespace
} // namespace tenfold::testing
