// Where epilogues are applied: in the products that write D, or in a pass over it. Both give the
// bits of the contraction followed by plain loops.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tenfold/tenfold.hpp>

namespace tenfold::testing {
namespace {

using numbers = std::vector<double>;

constexpr const char *fused = "epilogue fused in the product";
constexpr const char *pass = "epilogue: a pass over D";

numbers waves(index_t size, double step) {
    numbers all(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = std::sin(static_cast<double>(i) * step);
    return all;
}

/// D(a b i j), dense, from A and B of one summed label k. Biases along b and j, and a tensor whose
/// modes lie in another order, as no matrix of D could have them.
struct two_matrices {
    static constexpr index_t a = 12, b = 10, i = 9, j = 14, k = 40;
    numbers left = waves(a * b * k, 0.7), right = waves(k * i * j, 0.3);
    numbers of_b = waves(b, 1.0), of_j = waves(j, 2.0), whole = waves(a * b * i * j, 0.1);
    contraction_epilogue finish;

    two_matrices() {
        finish.add("b", tensor_view<double>(of_b.data(), {b}))
            .apply(elementwise::relu)
            .multiply("j", tensor_view<double>(of_j.data(), {j}))
            .add("jbia", tensor_view<double>(whole.data(), {j, b, i, a}));
    }

    numbers result(contract_options options) const {
        numbers d(static_cast<std::size_t>(a * b * i * j), std::nan(""));
        contract("abij=abk*kij", tensor_view<const double>(left.data(), {a, b, k}),
                 tensor_view<const double>(right.data(), {k, i, j}),
                 tensor_view<double>(d.data(), {a, b, i, j}), options);
        return d;
    }
    std::string plan(contract_options options) const {
        options.epilogue = &finish;
        numbers d(1);
        return make_plan("abij=abk*kij", tensor_view<const double>(left.data(), {a, b, k}),
                         tensor_view<const double>(right.data(), {k, i, j}),
                         tensor_view<double>(d.data(), {a, b, i, j}), options)
            .explain();
    }
    numbers applied(numbers d) const {
        std::size_t at = 0;
        for (std::size_t y = 0; y < j; ++y)
            for (std::size_t x = 0; x < i; ++x)
                for (std::size_t q = 0; q < b; ++q)
                    for (std::size_t p = 0; p < a; ++p, ++at) {
                        d[at] += of_b[q];
                        d[at] = d[at] < 0 ? 0 : d[at];
                        d[at] *= of_j[y];
                        d[at] += whole[y + j * (q + b * (x + i * p))];
                    }
        return d;
    }
};

TEST(EpilogueFusion, EveryAlgorithmGivesTheBitsOfASeparatePass) {
    const two_matrices x;
    for (const algorithm by : {algorithm::direct, algorithm::gemm_loop, algorithm::loops,
                               algorithm::ttgt, algorithm::fused})
        for (const int threads : {1, 3})
            for (const bool reproducible : {false, true}) {
                contract_options options{
                    .algorithm = by, .threads = threads, .reproducible = reproducible};
                if (reproducible)
                    options.algorithm = algorithm::automatic;
                numbers expected;
                try {
                    expected = x.applied(x.result(options));
                } catch (const error &impossible) {
                    EXPECT_EQ(impossible.code(), errc::unsupported);
                    continue;
                }
                options.epilogue = &x.finish;
                EXPECT_EQ(x.result(options), expected)
                    << name(by) << ", " << threads << " threads, reproducible " << reproducible;
            }
}

TEST(EpilogueFusion, ProductsApplyWhatNoMatrixCouldHave) {
    const two_matrices x;
    EXPECT_NE(x.plan({.algorithm = algorithm::direct}).find(fused), std::string::npos)
        << x.plan({.algorithm = algorithm::direct});
    EXPECT_NE(x.plan({.reproducible = true}).find(pass), std::string::npos);
}

/// What the plan of C(m x n) = A B says about an epilogue.
std::string plan_of_product(index_t m, index_t n, const layout &d) {
    numbers bias(static_cast<std::size_t>(m)), none(1);
    contraction_epilogue finish;
    finish.add("i", tensor_view<double>(bias.data(), {m}));
    return make_plan("ij=ik*kj", input(data_type::f64, nullptr, layout({m, 64})),
                     input(data_type::f64, nullptr, layout({64, n})),
                     output(data_type::f64, nullptr, d), {.epilogue = &finish})
        .explain();
}

TEST(EpilogueFusion, StridesThatAreNotNestedTakeAPass) {
    const std::string nested = plan_of_product(60, 40, layout({60, 40}));
    EXPECT_NE(nested.find(fused), std::string::npos) << nested;
    // Rows reach further than a column's stride, yet no two elements coincide.
    const std::string crossing = plan_of_product(300, 2, layout({300, 2}, {2, 301}));
    EXPECT_NE(crossing.find(pass), std::string::npos) << crossing;
}

TEST(EpilogueFusion, APassGoesThroughStridesThatAreNotNested) {
    numbers a{1, 2, 3}, b{1, 10}, d(8, -1), bias{100, 200, 300};
    contraction_epilogue finish;
    finish.add("i", tensor_view<double>(bias.data(), {3}));
    contract("ij=i*j", tensor_view<double>(a.data(), {3}), tensor_view<double>(b.data(), {2}),
             tensor_view<double>(d.data(), {3, 2}, {2, 3}), {.epilogue = &finish});
    EXPECT_EQ(d, (numbers{101, -1, 202, 110, 303, 220, -1, 330}));
}

TEST(EpilogueFusion, ManySmallProductsTakeAPass) {
    contraction_epilogue finish;
    numbers bias(4);
    finish.add("i", tensor_view<double>(bias.data(), {4})).apply(elementwise::relu);
    const std::string plan =
        make_plan("ijb=ikb*kjb", input(data_type::f64, nullptr, layout({4, 4, 5000})),
                  input(data_type::f64, nullptr, layout({4, 4, 5000})),
                  output(data_type::f64, nullptr, layout({4, 4, 5000})), {.epilogue = &finish})
            .explain();
    EXPECT_NE(plan.find(pass), std::string::npos) << plan;
}

/// From a shared cache, a pass reads D as fast as products apply an epilogue; from memory, not.
TEST(EpilogueFusion, ProductsApplyWhatPaysThere) {
    // The bias of 10,000 rows fits half of any second-level cache.
    const std::string in_memory = plan_of_product(10'000, 80'000, layout({10'000, 80'000}));
    EXPECT_NE(in_memory.find(fused), std::string::npos) << in_memory;
    const layout large({40'000, 20'000});
    contraction_epilogue finish;
    finish.add("ij", input(data_type::f64, nullptr, large));
    const std::string beside =
        make_plan("ij=ik*kj", input(data_type::f64, nullptr, layout({40'000, 64})),
                  input(data_type::f64, nullptr, layout({64, 20'000})),
                  output(data_type::f64, nullptr, large), {.epilogue = &finish})
            .explain();
    EXPECT_NE(beside.find(pass), std::string::npos) << beside;
}

TEST(EpilogueFusion, APlanWithAPassTakesLonger) {
    const output d(data_type::f64, nullptr, layout({100, 100, 100}));
    const input a(data_type::f64, nullptr, layout({100, 100, 100}));
    const contraction_epilogue finish = contraction_epilogue().apply(elementwise::relu);
    const double alone = make_plan("cab=abc", a, d).summary().seconds;
    EXPECT_GT(make_plan("cab=abc", a, d, {.epilogue = &finish}).summary().seconds, 1.2 * alone);
}

} // namespace
} // namespace tenfold::testing
