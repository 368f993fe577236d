// Compares sums that do not depend on the order with integers, and with shuffled sums.
#include <cmath>
#include <cstring>
#include <limits>

#include "distributed/run/exact_sum.hpp"
#include "mpi/ranks.hpp"

namespace tenfold::testing {
namespace {

using dist_impl::exact_sum;

/// Splits the terms into parts of random lengths, sums each, and adds the parts in random order.
double summed(random_source &random, std::vector<double> terms) {
    random.shuffle(terms);
    std::vector<exact_sum> parts(static_cast<std::size_t>(random.integer(1, 5)));
    for (std::size_t i = 0; i < terms.size();) {
        const auto size =
            std::min(static_cast<std::size_t>(random.integer(1, 1024)), terms.size() - i);
        auto &part = parts[static_cast<std::size_t>(
            random.integer(0, static_cast<std::int64_t>(parts.size()) - 1))];
        part.add({terms.data() + i, size});
        i += size;
    }
    if (parts.size() > 2) { // on one rank
        parts[0].add(parts.back());
        parts.pop_back();
    }
    int top = -1;
    for (const exact_sum &part : parts)
        top = std::max(top, part.top());
    std::vector<exact_sum::digits> digits;
    for (const exact_sum &part : parts)
        digits.push_back(part.from(top));
    return exact_sum::value(top, digits);
}

TEST(ExactSum, DoesNotDependOnTheOrder) {
    for (const int test_case : cases(300)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const auto count = random.integer(0, 3000);
        const auto range = static_cast<int>(random.integer(0, 300));
        const auto middle = static_cast<int>(random.integer(-1000, 900));
        std::vector<double> terms;
        double largest = 0;
        long double sum = 0;
        for (std::int64_t i = 0; i < count; ++i) {
            const double x = std::ldexp(
                random.real() - 0.5,
                std::min(1000, middle + static_cast<int>(random.integer(-range, range))));
            terms.push_back(x);
            sum += x;
            largest = std::max(largest, std::abs(x));
        }
        const double first = summed(random, terms);
        EXPECT_NEAR(first, static_cast<double>(sum),
                    static_cast<double>(count) * largest * 0x1p-62 +
                        std::abs(static_cast<double>(sum)) * 0x1p-52);
        for (int repeat = 0; repeat < 4; ++repeat) {
            const double again = summed(random, terms);
            ASSERT_EQ(std::memcmp(&first, &again, sizeof first), 0) << first << ' ' << again;
        }
    }
}

TEST(ExactSum, KeepsWhatCancels) {
    random_source random(0);
    std::vector<double> terms;
    for (int i = 0; i < 5000; ++i) {
        terms.push_back(random.real());
        terms.push_back(-terms.back());
    }
    terms.push_back(0x1p-79);
    EXPECT_EQ(summed(random, terms), 0x1p-79);
}

TEST(ExactSum, OfTheEndsOfTheRange) {
    random_source random(0);
    constexpr double largest = std::numeric_limits<double>::max();
    constexpr double smallest = std::numeric_limits<double>::denorm_min();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(summed(random, {}), 0.0);
    EXPECT_EQ(summed(random, {0.0, -0.0}), 0.0);
    EXPECT_EQ(summed(random, {largest, -largest, largest}), largest);
    EXPECT_EQ(summed(random, {smallest, smallest, smallest}), 3 * smallest);
    EXPECT_EQ(summed(random, {largest, smallest, -largest}), 0.0); // less than 2^-80 of the largest
    EXPECT_EQ(summed(random, {1.0, infinity, 2.0}), infinity);
    EXPECT_TRUE(std::isnan(summed(random, {infinity, 1.0, -infinity})));
    EXPECT_TRUE(std::isnan(summed(random, {1.0, std::nan(""), 2.0})));
}

} // namespace
} // namespace tenfold::testing
