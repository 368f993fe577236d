// Tests the bounds against sums in plain loops: the bounds hold, they are attained, and errors
// exceed them.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <tenfold/types.hpp>

#include "support/error_bound.hpp"
#include "support/exact_sum.hpp"

namespace tenfold::testing {
namespace {

TEST(ErrorBound, CountsRoundings) {
    EXPECT_EQ(roundings({.terms = 10}, false), 12);
    EXPECT_EQ(roundings({.terms = 10}, true), 25);
    EXPECT_EQ(roundings({.terms = 0}, false), 2);
    EXPECT_EQ(roundings({.terms = 700, .block = 32}, false), 32 + 22 + 1);
    EXPECT_EQ(roundings({.terms = 700, .block = 32}, true), 64 + 22 + 4);
    EXPECT_EQ(roundings({.terms = 9000, .block = 256, .leaf = 2250}, false), 256 + 9 + 2 + 1);
    EXPECT_EQ(roundings({.terms = 9000, .leaf = 1800}, false), 1800 + 1 + 3 + 1);
    EXPECT_EQ(roundings({.terms = 5, .block = 256, .leaf = 2250}, false), 7);
}

TEST(ErrorBound, IsGamma) {
    EXPECT_EQ(error_bound<double>(6), 8 * 0x1p-53 / (1 - 8 * 0x1p-53));
    EXPECT_EQ(error_bound<float>(6), 8 * 0x1p-24 / (1 - 8 * 0x1p-24));
    EXPECT_EQ(error_bound<c32>(6), std::sqrt(2) * 17 * 0x1p-24 / (1 - 17 * 0x1p-24));
    EXPECT_EQ(error_bound<float>(1 << 24), std::numeric_limits<double>::infinity());
}

TEST(ExactSum, KeepsWhatDoubleLoses) {
    exact_sum sum;
    sum.add_product(0x1p300, 1);
    sum.add_product(1, 1);
    sum.add_product(-0x1p150, 0x1p150);
    EXPECT_EQ(sum.distance(1), 0);
    EXPECT_EQ(sum.distance(3), 2);
    exact_sum square;
    square.add_product(1 + 0x1p-30, 1 + 0x1p-30);
    square.add_product(-1, 1 + 0x1p-29);
    EXPECT_EQ(square.distance(0), 0x1p-60);
    square.scale(-3);
    EXPECT_EQ(square.distance(0), 3 * 0x1p-60);
}

TEST(ExactElement, AgreesWithComplexIntegers) {
    const std::complex<double> a(1, 2), b(-3, 5), alpha(2, -1), beta(-1, 3), c(7, -4);
    exact_element one;
    one.add_product(a, b);
    one.add_product(b, b);
    one.finish(alpha, beta, c);
    EXPECT_EQ(one.relative_error(alpha * (a * b + b * b) + beta * c), 0);
    const double magnitude =
        std::abs(alpha) * (std::abs(a) * std::abs(b) + std::norm(b)) + std::abs(beta) * std::abs(c);
    EXPECT_DOUBLE_EQ(one.relative_error(alpha * (a * b + b * b) + beta * c + 5.0), 5 / magnitude);
    EXPECT_EQ(one.relative_error(std::nan("")), std::numeric_limits<double>::infinity());
    exact_element nothing;
    nothing.finish(0.0, 0.0, 0.0);
    EXPECT_EQ(nothing.relative_error(0.0), 0);
    EXPECT_EQ(nothing.relative_error(1.0), std::numeric_limits<double>::infinity());
}

/// Two vectors. error() returns |sum - exact| / sum |a||b| for a loop in which add(sum, a, b, p)
/// returns the next sum.
template <class T> struct vectors {
    std::vector<T> a, b;

    template <class Add> double error(const Add &add) const {
        T sum = 0;
        exact_element exact;
        for (std::size_t p = 0; p < a.size(); ++p) {
            sum = add(sum, a[p], b[p], p);
            exact.add_product(static_cast<double>(a[p]), static_cast<double>(b[p]));
        }
        exact.finish(1.0, 0.0, 0.0);
        return exact.relative_error(static_cast<double>(sum));
    }
    double bound() const { return error_bound<T>(static_cast<std::int64_t>(a.size())); }
};

/// Always the same numbers, because errors in random ones sometimes cancel.
template <class T> vectors<T> positive_numbers(std::size_t n) {
    const auto number = [](double irrational, std::size_t p) {
        const double multiple = irrational * static_cast<double>(p + 1);
        return static_cast<T>(0.5 + (multiple - std::floor(multiple)) / 2);
    };
    vectors<T> x;
    for (std::size_t p = 0; p < n; ++p) {
        x.a.push_back(number(std::sqrt(2.0), p));
        x.b.push_back(number(std::sqrt(3.0), p));
    }
    return x;
}

template <class T> T plain(T sum, T a, T b, std::size_t) { return sum + a * b; }

/// 1, followed by halves of its last place: every addition loses the whole term.
template <class T> void check_attained(std::size_t n) {
    vectors<T> x{std::vector<T>(n, T(1)), std::vector<T>(n, static_cast<T>(unit_roundoff<T>))};
    x.b[0] = 1;
    const double error = x.error(plain<T>);
    EXPECT_LE(error, x.bound());
    EXPECT_GE(error, 0.98 * x.bound());
}

TEST(ErrorBound, IsAttained) {
    check_attained<float>(1000);
    check_attained<double>(1000);
}

template <class T> void check_faults(std::size_t n) {
    SCOPED_TRACE(n);
    const vectors<T> x = positive_numbers<T>(n);
    EXPECT_LE(x.error(plain<T>), x.bound());
    for (const std::size_t missing : {std::size_t{0}, n / 2, n - 1})
        EXPECT_GT(x.error([&](T sum, T a, T b, std::size_t p) {
            return p == missing ? sum : sum + a * b;
        }),
                  x.bound())
            << "without product " << missing;
    using narrow = std::conditional_t<std::is_same_v<T, double>, float, bf16>;
    const auto rounded = [](T value) {
        return static_cast<T>(static_cast<float>(narrow(static_cast<float>(value))));
    };
    EXPECT_GT(x.error([&](T sum, T a, T b, std::size_t) { return rounded(sum + a * b); }),
              x.bound())
        << "with a narrower sum";
    if (n <= 10) { // larger sums have errors that partly cancel
        EXPECT_GT(x.error([&](T sum, T a, T b, std::size_t) { return sum + rounded(a * b); }),
                  x.bound())
            << "with narrower products";
    }
}

TEST(ErrorBound, IsExceededByFaults) {
    for (const std::size_t n : {1U, 2U, 10U, 100U, 400U}) {
        check_faults<float>(n);
        check_faults<double>(n);
    }
}

} // namespace
} // namespace tenfold::testing
