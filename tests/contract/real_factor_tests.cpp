// Tests contractions of a real and a complex tensor: that they are multiplied as real numbers, and
// what that must not change.
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tenfold/tenfold.hpp>

#include "contract/algorithms.hpp"

namespace tenfold::testing {
namespace {

/// d(a, b) = sum over k of x(a, k) z(k, b).
template <class Real> struct matrices {
    using complex = std::complex<Real>;

    index_t m, n, k;
    std::vector<Real> x;
    std::vector<complex> z, d;

    matrices(index_t rows, index_t columns, index_t terms)
        : m(rows), n(columns), k(terms), x(count(m * k)), z(count(k * n)), d(count(m * n)) {
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = static_cast<Real>(i * 7 % 11) - 5;
        for (std::size_t i = 0; i < z.size(); ++i)
            z[i] = {static_cast<Real>(i * 5 % 13) - 6, static_cast<Real>(i * 3 % 7) - 3};
        for (std::size_t i = 0; i < d.size(); ++i)
            d[i] = {static_cast<Real>(i % 5), static_cast<Real>(i % 3) - 1};
    }

    static std::size_t count(index_t n) { return static_cast<std::size_t>(n); }
    tensor_view<const Real> in_x() const { return {x.data(), {m, k}}; }
    tensor_view<const complex> in_z() const { return {z.data(), {k, n}}; }
    tensor_view<complex> out() { return {d.data(), {m, n}}; }

    contraction_plan plan(const contract_options &options = {}) {
        return make_plan("ab=ak*kb", in_x(), in_z(), out(), options);
    }
    complex product(index_t row, index_t column, bool conjugated = false) const {
        complex sum = 0;
        for (index_t p = 0; p < k; ++p) {
            const complex one = z[count(p + column * k)];
            sum += x[count(row + p * m)] * (conjugated ? std::conj(one) : one);
        }
        return sum;
    }
    /// Compares D with alpha x op(z) + beta times `before`.
    void check(scalar alpha, scalar beta, const std::vector<complex> &before,
               bool conjugated = false) const {
        for (index_t j = 0; j < n; ++j)
            for (index_t i = 0; i < m; ++i) {
                const auto at = count(i + j * m);
                const complex expected = complex(alpha) * product(i, j, conjugated) +
                                         (beta == 0.0 ? complex(0) : complex(beta) * before[at]);
                ASSERT_EQ(d[at], expected) << i << ", " << j;
            }
    }
};

bool is_real_form(const contraction_plan &plan) {
    return plan.explain().find("as real numbers: ") != std::string::npos;
}

template <class Real> void multiply_with_all_factors(algorithm by) {
    SCOPED_TRACE(std::string(name(by)) + ", " + std::string(name(data_type_of<Real>)));
    for (const bool conjugated : {false, true}) {
        SCOPED_TRACE(conjugated ? "conjugated" : "as it is");
        matrices<Real> with(37, 22, 19);
        const input z = conjugated ? conj(input(with.in_z())) : input(with.in_z());
        try {
            const contraction_plan plan =
                make_plan("ab=ak*kb", with.in_x(), z, with.out(), {.algorithm = by});
            for (const scalar alpha : {scalar(1), scalar(-2), scalar(1, 2)})
                for (const scalar beta : {scalar(0), scalar(3), scalar(0, -1)}) {
                    const auto before = with.d;
                    if (beta == 0.0)
                        with.d.assign(with.d.size(), std::numeric_limits<Real>::quiet_NaN());
                    ASSERT_TRUE(plan.execute(alpha, with.x.data(), with.z.data(), beta,
                                             with.d.data(), with.d.data()));
                    with.check(alpha, beta, before, conjugated);
                    with.d = matrices<Real>(37, 22, 19).d; // small numbers again
                }
        } catch (const error &refused) {
            ASSERT_EQ(refused.code(), errc::unsupported) << refused.what();
        }
    }
}

TEST(RealFactor, PlansTakeRealAndComplexFactors) {
    for (const algorithm by : fast_algorithms()) {
        multiply_with_all_factors<float>(by);
        multiply_with_all_factors<double>(by);
    }
    multiply_with_all_factors<double>(algorithm::automatic);
}

TEST(RealFactor, IsMultipliedAsRealNumbers) {
    matrices<double> with(120, 130, 140);
    EXPECT_TRUE(is_real_form(with.plan())) << with.plan().explain();
    EXPECT_EQ(with.plan().summary().flops, 4.0 * 120 * 130 * 140);
    const input x = with.in_x();
    const tensor_view<c64> d(with.d.data(), {130, 120});
    const contraction_plan other_order = make_plan("ba=kb*ak", with.in_z(), x, d);
    EXPECT_TRUE(is_real_form(other_order)) << other_order.explain();

    // Two complex inputs, and two real ones, have nothing of it.
    const std::vector<c64> widened(with.x.begin(), with.x.end());
    const tensor_view<const c64> w(widened.data(), {120, 140});
    EXPECT_FALSE(is_real_form(make_plan("ab=ak*kb", w, with.in_z(), with.out())));
    EXPECT_FALSE(
        is_real_form(make_plan("ab=ak*bk", x, x, tensor_view<c64>(with.d.data(), {120, 120}))));
    EXPECT_EQ(make_plan("ab=ak*kb", w, with.in_z(), with.out()).summary().flops,
              8.0 * 120 * 130 * 140);
}

/// Where other algorithms than the reference have them, parts of numbers do not meet.
TEST(RealFactor, InfinitePartsStayInTheirPart) {
    matrices<double> with(40, 30, 50);
    with.z.assign(with.z.size(), c64(1, 1));
    with.x.assign(with.x.size(), 1.0);
    with.z[0] = {INFINITY, 1};
    const contraction_plan plan = with.plan();
    ASSERT_TRUE(is_real_form(plan));
    ASSERT_TRUE(plan.execute(1.0, with.x.data(), with.z.data(), 0.0, with.d.data(), with.d.data()));
    EXPECT_EQ(with.d[0], c64(INFINITY, 50));
    EXPECT_EQ(with.d[40], c64(50, 50));
}

TEST(RealFactor, EpiloguesActOnComplexNumbers) {
    for (const bool conjugated : {false, true})
        for (const scalar alpha : {scalar(2), scalar(0, 1)}) {
            matrices<double> with(33, 34, 35);
            const auto before = with.d;
            const contraction_epilogue twice = contraction_epilogue().scale(scalar(0, 2));
            const input z = conjugated ? conj(input(with.in_z())) : input(with.in_z());
            contract("ab=ak*kb", with.in_x(), z, with.out(),
                     {.alpha = alpha, .beta = 1.0, .epilogue = &twice});
            for (c64 &one : with.d)
                one /= c64(0, 2);
            with.check(alpha, 1.0, before, conjugated);
        }
}

TEST(RealFactor, BatchesOfContractions) {
    for (const bool conjugated : {false, true}) {
        matrices<double> first(9, 8, 7), second(9, 8, 7);
        for (c64 &one : second.z)
            one *= 2.0;
        const auto before = first.d;
        const input z = conjugated ? conj(input(first.in_z())) : input(first.in_z());
        const contraction_plan plan = make_plan("ab=ak*kb", first.in_x(), z, first.out());
        const std::vector<const void *> xs{first.x.data(), second.x.data()};
        const std::vector<const void *> zs{first.z.data(), second.z.data()};
        const std::vector<const void *> cs{first.d.data(), second.d.data()};
        const std::vector<void *> ds{first.d.data(), second.d.data()};
        for (const scalar alpha : {scalar(1), scalar(1, 1)}) {
            first.d = second.d = before;
            const std::vector<input_batch> inputs{input_batch::at_addresses(xs),
                                                  input_batch::at_addresses(zs)};
            ASSERT_TRUE(plan.execute_batch({.count = 2,
                                            .alpha = alpha,
                                            .beta = 3.0,
                                            .inputs = inputs,
                                            .c = input_batch::at_addresses(cs),
                                            .d = output_batch::at_addresses(ds)}));
            first.check(alpha, 3.0, before, conjugated);
            second.check(alpha, 3.0, before, conjugated);
        }
    }
}

TEST(RealFactor, ManyInputsHaveItInTheirSteps) {
    matrices<double> with(60, 50, 40);
    const std::vector<double> y(50 * 30, 2.0);
    std::vector<c64> d(60 * 30);
    const tensor_view<const double> in_y(y.data(), {50, 30});
    const tensor_view<c64> out(d.data(), {60, 30});
    const contraction_plan plan =
        make_plan("ac=ak*kb*bc", {with.in_x(), with.in_z(), in_y}, out, contract_options{});
    EXPECT_EQ(plan.summary().flops, 4.0 * (40 * 50 * 30 + 60 * 40 * 30));
    contract("ac=ak*kb*bc", {with.in_x(), with.in_z(), in_y}, out);
    for (index_t i = 0; i < 60; ++i) {
        c64 sum = 0;
        for (index_t j = 0; j < 50; ++j)
            sum += 2.0 * with.product(i, j);
        EXPECT_EQ(d[static_cast<std::size_t>(i)], sum);
    }
}

} // namespace
} // namespace tenfold::testing
