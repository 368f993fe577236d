// Tests DIIS on linear problems, whose solution it reaches in as many steps as there are
// directions, and on errors that depend on one another.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <tenfold/chem_diis.hpp>

#include "support/message_of.hpp"

namespace tenfold::testing {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Diis, SmallSystemsAreSolved) {
    const std::vector<double> x = chem::solve_symmetric({0, 2, 2, 3}, {2, 7}); // needs a pivot
    ASSERT_EQ(x.size(), 2U);
    EXPECT_DOUBLE_EQ(x[0], 2);
    EXPECT_DOUBLE_EQ(x[1], 1);
    EXPECT_TRUE(chem::solve_symmetric({}, {}).empty());
}

TEST(Diis, NearlySingularSystemsHaveNoSolution) {
    EXPECT_TRUE(chem::solve_symmetric({1, 1, 1, 1}, {1, 1}).empty());
    EXPECT_TRUE(chem::solve_symmetric({1, 1, 1, 1 + 4e-16}, {1, 1}).empty());
    EXPECT_FALSE(chem::solve_symmetric({1, 1, 1, 1 + 1e-13}, {1, 1}).empty());
    EXPECT_TRUE(chem::solve_symmetric({0, 0, 0, 0}, {0, 0}).empty());
    EXPECT_TRUE(chem::solve_symmetric({nan, 0, 0, 1}, {0, 0}).empty());
}

TEST(Diis, CoefficientsMakeTheErrorSmallest) {
    chem::diis_subspace subspace(5);
    EXPECT_TRUE(subspace.coefficients().empty());
    // Errors (2, 0), (0, 1): c = (1, 4) / 5.
    subspace.add(subspace.make_room(), {4});
    EXPECT_EQ(subspace.coefficients(), std::vector<double>{1});
    subspace.add(subspace.make_room(), {0, 1});
    const std::vector<double> c = subspace.coefficients();
    ASSERT_EQ(c.size(), 2U);
    EXPECT_NEAR(c[0], 0.2, 1e-15);
    EXPECT_NEAR(c[1], 0.8, 1e-15);
}

TEST(Diis, ErrorsThatAreNothingBesideOthersHaveNoCoefficients) {
    chem::diis_subspace subspace(5);
    subspace.add(subspace.make_room(), {1});
    subspace.add(subspace.make_room(), {0, 1e-12});
    EXPECT_EQ(subspace.coefficients().size(), 2U);
    subspace.add(subspace.make_room(), {0, 0, 1e-16});
    EXPECT_TRUE(subspace.coefficients().empty());
    subspace.forget_oldest();
    const std::vector<double> c = subspace.coefficients();
    ASSERT_EQ(c.size(), 2U);
    EXPECT_NEAR(c[1], 1 / (1 + 1e-4), 1e-12);
}

TEST(Diis, TheOldestMakesRoom) {
    chem::diis_subspace subspace(2);
    const int first = subspace.make_room();
    subspace.add(first, {4});
    const int second = subspace.make_room();
    EXPECT_NE(second, first);
    subspace.add(second, {0, 9});
    const int third = subspace.make_room();
    EXPECT_EQ(third, first);
    subspace.add(third, {3, 1});
    EXPECT_EQ(subspace.places(), (std::vector<int>{second, third}));
    EXPECT_EQ(subspace.products(), (std::vector<std::vector<double>>{{9}, {3, 1}}));
    EXPECT_EQ(subspace.forget_oldest(), second);
    EXPECT_EQ(subspace.products(), (std::vector<std::vector<double>>{{1}}));
    EXPECT_NE(subspace.make_room(), third);
}

TEST(Diis, WhatWasKeptIsRestored) {
    chem::diis_subspace one(3);
    one.add(one.make_room(), {4});
    one.add(one.make_room(), {1, 5});
    chem::diis_subspace other(3);
    other.restore(one.products());
    EXPECT_EQ(other.size(), 2);
    EXPECT_EQ(other.coefficients(), one.coefficients());
}

TEST(Diis, WrongArgumentsAreRefused) {
    message_of([] { chem::diis_subspace(0); }, errc::invalid_argument);
    chem::diis_subspace subspace(3);
    const int place = subspace.make_room();
    message_of([&] { subspace.add(place, {1, 2}); }, errc::invalid_argument);
    message_of([&] { subspace.add(place, {}); }, errc::invalid_argument);
    tensor<double> x({3}), y({4});
    message_of([&] { chem::inner_product(x, y); }, errc::extent_mismatch);
    chem::diis<tensor<double>> accelerate(4);
    message_of([&] { accelerate.extrapolate({&x}, {&x, &y}); }, errc::invalid_argument);
}

TEST(Diis, ProductsAndCombinationsOfManyElements) {
    for (const index_t size : {0, 1, 15, 17, 4095, 4096, 9001}) {
        tensor<double> x({size}), y({size}), z({size});
        double xy = 0;
        for (index_t k = 0; k < size; ++k) {
            x(k) = static_cast<double>(k % 7 - 3);
            y(k) = static_cast<double>(k % 5 - 2);
            z(k) = nan;
            xy += x(k) * y(k);
        }
        EXPECT_EQ(chem::inner_product(x, y), xy);
        const std::vector<const double *> both{x.data(), y.data()};
        std::vector<double> sums{1, 2};
        chem::add_inner_products(y.data(), both, size, sums);
        EXPECT_EQ(sums[0], 1 + xy);
        EXPECT_EQ(sums[1], 2 + chem::inner_product(y, y));
        chem::combine(std::vector<double>{2, -3}, both, size, z.data());
        for (index_t k = 0; k < size; ++k)
            EXPECT_EQ(z(k), 2 * x(k) - 3 * y(k));
    }
}

/// x <- x + (b - A x), A diagonal, spread over two tensors: diverges by itself.
struct linear_problem {
    tensor<double> x{{2}}, y{{3}}, rx{{2}}, ry{{3}};

    static double factor(index_t k) { return 0.4 + 0.55 * static_cast<double>(k); }
    static double solution(index_t k) { return 1.0 / (1.0 + static_cast<double>(k)); }
    void step() {
        for (index_t k = 0; k < 5; ++k) {
            double &at = k < 2 ? x(k) : y(k - 2);
            double &update = k < 2 ? rx(k) : ry(k - 2);
            update = factor(k) * (solution(k) - at);
            at += update;
        }
    }
    double error() const {
        double largest = 0;
        for (index_t k = 0; k < 5; ++k)
            largest = std::max(largest, std::abs((k < 2 ? x(k) : y(k - 2)) - solution(k)));
        return largest;
    }
};

TEST(Diis, LinearProblemsAreSolvedInAsManyStepsAsDirections) {
    linear_problem plain;
    linear_problem faster;
    chem::diis<tensor<double>> accelerate(8);
    for (int iteration = 0; iteration < 6; ++iteration) {
        plain.step();
        faster.step();
        accelerate.extrapolate({&faster.x, &faster.y}, {&faster.rx, &faster.ry});
    }
    EXPECT_GT(plain.error(), 0.1);
    EXPECT_LT(faster.error(), 1e-9);
    EXPECT_EQ(accelerate.size(), 6);
}

/// Goes on in the place of vectors that are forgotten.
TEST(Diis, FewVectorsSolveThemMoreSlowly) {
    linear_problem problem;
    chem::diis<tensor<double>> accelerate(3);
    int iteration = 0;
    for (; problem.error() > 1e-9 && iteration < 100; ++iteration) {
        problem.step();
        accelerate.extrapolate({&problem.x, &problem.y}, {&problem.rx, &problem.ry});
        EXPECT_LE(accelerate.size(), 3);
    }
    EXPECT_GT(iteration, 6);
    EXPECT_LT(iteration, 100);
}

TEST(Diis, AnyInnerProductServes) {
    int calls = 0;
    linear_problem problem;
    chem::diis<tensor<double>> accelerate(8, [&](const tensor<double> &a, const tensor<double> &b) {
        ++calls;
        return 3 * chem::inner_product(a, b);
    });
    for (int iteration = 0; iteration < 6; ++iteration) {
        problem.step();
        accelerate.extrapolate({&problem.x, &problem.y}, {&problem.rx, &problem.ry});
    }
    EXPECT_LT(problem.error(), 1e-9);
    EXPECT_EQ(calls, 2 * (1 + 2 + 3 + 4 + 5 + 6));
}

TEST(Diis, DependentErrorsAreForgotten) {
    tensor<double> x({3}), r({3});
    chem::diis<tensor<double>> accelerate(5);
    for (int iteration = 0; iteration < 3; ++iteration) {
        for (index_t k = 0; k < 3; ++k) {
            x(k) = static_cast<double>(iteration);
            r(k) = static_cast<double>(k);
        }
        accelerate.extrapolate({&x}, {&r});
        EXPECT_EQ(accelerate.size(), 1);
        EXPECT_EQ(x(0), static_cast<double>(iteration)); // the newest
    }
}

TEST(Diis, ErrorsThatAreNoNumbersChangeNothing) {
    tensor<double> x({1}), r({1});
    x(0) = 5;
    r(0) = nan;
    chem::diis<tensor<double>> accelerate(5);
    accelerate.extrapolate({&x}, {&r});
    EXPECT_EQ(x(0), 5);
    r(0) = 0; // converged
    accelerate.extrapolate({&x}, {&r});
    EXPECT_EQ(x(0), 5);
}

TEST(Diis, OneVectorIsNone) {
    for (const int most : {0, 1}) {
        linear_problem plain;
        linear_problem kept;
        chem::diis<tensor<double>> accelerate(most);
        for (int iteration = 0; iteration < 3; ++iteration) {
            plain.step();
            kept.step();
            accelerate.extrapolate({&kept.x, &kept.y}, {&kept.rx, &kept.ry});
        }
        EXPECT_EQ(kept.error(), plain.error());
        EXPECT_EQ(accelerate.size(), 0);
    }
}

} // namespace
} // namespace tenfold::testing
