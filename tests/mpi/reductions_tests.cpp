// Tests reductions of distributed tensors, and random numbers.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <tenfold/dist_operations.hpp>

#include "distributed/operations/philox.hpp"
#include "mpi/operation_cases.hpp"
#include "mpi/ranks.hpp"

namespace tenfold::testing {
namespace {

template <class T> class DistReductions : public ::testing::Test {};
using reduced_types = list_of_arithmetic_types<::testing::Types>;
TYPED_TEST_SUITE(DistReductions, reduced_types);

TYPED_TEST(DistReductions, HaveTheSameBitsInAnyDistribution) {
    using T = TypeParam;
    for (const int test_case : operation_cases()) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const extents_t extents = random_extents(random, static_cast<int>(random.integer(0, 4)));
        const index_t n = layout(extents).size();
        dist_tensor<T> x(ranks(), extents, random_distribution(random, extents, ranks().size()));
        fill_reals(x, test_case);
        const dist_tensor<T> at_one =
            x.redistribute(distribution::on_rank(extents, ranks().size(), 0));
        EXPECT_EQ(sum(x), sum(at_one));
        EXPECT_EQ(norm1(x), norm1(at_one));
        EXPECT_EQ(norm2(x), at_one.norm());
        EXPECT_EQ(norm_max(x), norm_max(at_one));

        // Against long double, which loses nothing that shows.
        const tensor<T> all = x.gather_all();
        std::complex<long double> total = 0;
        long double magnitudes = 0;
        double most = 0;
        for (index_t i = 0; i < n; ++i) {
            const std::complex<double> one(all.data()[i]);
            total += std::complex<long double>(one);
            magnitudes += std::abs(one);
            most = std::max(most, std::abs(one));
        }
        const double unit = std::numeric_limits<typename element_traits<T>::real>::epsilon() *
                            static_cast<double>(1 + magnitudes);
        EXPECT_LE(std::abs(std::complex<double>(sum(x)) - std::complex<double>(total)), unit);
        EXPECT_NEAR(norm1(x), static_cast<double>(magnitudes),
                    1e-14 * static_cast<double>(1 + magnitudes));
        EXPECT_EQ(norm_max(x), most);
    }
}

/// The n first of all elements, sorted as the interface says.
template <class T, class First>
std::vector<dist_element<T>> sorted(const tensor<T> &all, std::size_t n, const First &first) {
    std::vector<dist_element<T>> elements;
    const T *next = all.data();
    for_each_position(extents_t(all.shape().extents().size(), 0), all.shape().extents(),
                      [&](const extents_t &position) {
                          elements.push_back({position, *next++});
                      });
    std::stable_sort(elements.begin(), elements.end(),
                     [&](const auto &a, const auto &b) { return first(a.value, b.value); });
    elements.resize(std::min(n, elements.size()));
    return elements;
}

/// Small integers, so that many elements are equal.
TYPED_TEST(DistReductions, LargestInTheOrderOfElements) {
    using T = TypeParam;
    for (const int test_case : operation_cases()) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const extents_t extents = random_extents(random, static_cast<int>(random.integer(0, 4)));
        dist_tensor<T> x(ranks(), extents, random_distribution(random, extents, ranks().size()));
        fill_values(x, test_case);
        const auto n = random.integer(0, 12);
        const auto count = static_cast<std::size_t>(n);
        const tensor<T> all = make_values<T>(extents, test_case);
        const auto larger = [](T a, T b) { return std::abs(a) > std::abs(b); };
        EXPECT_EQ(largest(x, n), sorted(all, count, larger));

        auto some = sorted(all, static_cast<std::size_t>(all.size()), larger);
        const auto is_upper = [](position_view at) { return at.size() < 2 || at[0] <= at[1]; };
        std::erase_if(some, [&](const auto &one) { return !is_upper(one.position); });
        some.resize(std::min(count, some.size()));
        EXPECT_EQ(largest(x, n, is_upper), some);

        if constexpr (!is_complex(data_type_of<T>)) {
            if (all.size() == 0) {
                EXPECT_EQ(failure_of([&] { minimum(x); }).code, errc::invalid_argument);
                EXPECT_EQ(failure_of([&] { maximum(x); }).code, errc::invalid_argument);
                continue;
            }
            EXPECT_EQ(minimum(x), sorted(all, 1, [](T a, T b) { return a < b; }).front());
            EXPECT_EQ(maximum(x), sorted(all, 1, [](T a, T b) { return a > b; }).front());
        }
    }
}

TEST(DistReductions, FindNaNs) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    dist_tensor<double> x(ranks(), {5, 6});
    map_elements(x, [&](position_view at) {
        return at[0] == 3 && at[1] > 3 ? nan : static_cast<double>(at[0]);
    });
    EXPECT_TRUE(std::isnan(norm_max(x)));
    EXPECT_TRUE(std::isnan(sum(x)));
    EXPECT_TRUE(std::isnan(norm1(x)));
    EXPECT_EQ(minimum(x).position, (extents_t{3, 4}));
    EXPECT_TRUE(std::isnan(maximum(x).value));
    const auto found = largest(x, 3);
    EXPECT_EQ(found[0].position, (extents_t{3, 4}));
    EXPECT_EQ(found[1].position, (extents_t{3, 5}));
    EXPECT_EQ(found[2], (dist_element<double>{{4, 0}, 4}));
    x.fill(-std::numeric_limits<double>::infinity());
    EXPECT_EQ(norm_max(x), std::numeric_limits<double>::infinity());
}

TYPED_TEST(DistReductions, AScalarIsANumberOnAllRanks) {
    using T = TypeParam;
    for (int copies = 1; copies <= ranks().size(); ++copies)
        for (const extents_t &extents : {extents_t{}, extents_t{1, 1}}) {
            const int size = ranks().size();
            dist_tensor<T> x(ranks(), extents, distribution::replicated(extents, size, copies));
            x.fill(T(7));
            EXPECT_EQ(scalar_of(x), T(7));
        }
    const dist_tensor<T> elsewhere(ranks(), {},
                                   distribution::on_rank({}, ranks().size(), ranks().size() - 1));
    EXPECT_EQ(scalar_of(elsewhere), T(0));
    const dist_tensor<T> two(ranks(), {2});
    EXPECT_EQ(failure_of([&] { scalar_of(two); }).code, errc::extent_mismatch);
}

TEST(DistReductions, RefuseAlikeOnAllRanks) {
    const int size = ranks().size();
    dist_tensor<double> x(ranks(), {4, 4}, distribution::replicated({4, 4}, size, size));
    EXPECT_EQ(failure_of([&] { largest(x, -1); }).code, errc::invalid_argument);
    const failure thrown = failure_of([&] {
        largest(x, 2, [](position_view at) -> bool {
            if (at[0] == 3 && at[1] == 3)
                throw std::runtime_error("not there");
            return true;
        });
    });
    EXPECT_NE(thrown.message.find("not there"), std::string::npos) << thrown.message;
    if (size == 1)
        return;
    const bool is_first = ranks().rank() == 0;
    EXPECT_EQ(failure_of([&] { largest(x, is_first ? 1 : 2); }).code, errc::disagreement);
    EXPECT_EQ(failure_of([&] { fill_uniform(x, is_first ? 1 : 2); }).code, errc::disagreement);
    EXPECT_EQ(failure_of([&] { fill_normal(x, 1, is_first ? 1 : 2); }).code, errc::disagreement);
    if (is_first)
        static_cast<void>(x.local());
    for (const errc code :
         {failure_of([&] { sum(x); }).code, failure_of([&] { norm1(x); }).code,
          failure_of([&] { norm_max(x); }).code, failure_of([&] { maximum(x); }).code,
          failure_of([&] { largest(x, 1); }).code})
        EXPECT_EQ(code, errc::invalid_argument);
    fill_uniform(x, 1); // writes every element
    EXPECT_EQ(failure_of([&] { sum(x); }).code, errc::ok);
}

/// The known answers that come with the authors' implementation, Random123.
TEST(DistRandomNumbers, ArePhilox) {
    using dist_impl::philox;
    using counter = dist_impl::philox_counter;
    constexpr std::uint32_t ones = 0xffffffff;
    EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
              (counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
              (counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              (counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

/// The two numbers of an element, computed by its number and the seed.
std::array<double, 2> pair_of(std::uint64_t seed, index_t number) {
    const auto bits = dist_impl::philox(
        {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32), 0, 0},
        {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
    const auto fraction = [](std::uint64_t low, std::uint64_t high) {
        return static_cast<double>((low + (high << 32)) >> 11) / 9007199254740992.0;
    };
    return {fraction(bits[0], bits[1]), fraction(bits[2], bits[3])};
}

TYPED_TEST(DistReductions, RandomNumbersDependOnSeedAndPlaceOnly) {
    using T = TypeParam;
    using real = typename element_traits<T>::real;
    for (const int test_case : operation_cases()) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const extents_t extents = random_extents(random, static_cast<int>(random.integer(0, 4)));
        dist_tensor<T> x(ranks(), extents, random_distribution(random, extents, ranks().size()));
        const std::uint64_t seed = 0x123456789abcdef0 + static_cast<std::uint64_t>(test_case);
        fill_uniform(x, seed, -2, 3);
        tensor<T> expected(extents);
        for (index_t i = 0; i < expected.size(); ++i) {
            const auto [one, two] = pair_of(seed, i);
            if constexpr (is_complex(data_type_of<T>))
                expected.data()[i] =
                    T(static_cast<real>(-2 + 5 * one), static_cast<real>(-2 + 5 * two));
            else
                expected.data()[i] = static_cast<real>(-2 + 5 * one);
        }
        EXPECT_TRUE(holds(x, expected));
        fill_normal(x, seed);
        dist_tensor<T> at_one(ranks(), extents, distribution::on_rank(extents, ranks().size(), 0));
        fill_normal(at_one, seed);
        EXPECT_TRUE(holds(x, at_one.gather_all()));
    }
}

/// Means and variances of 40000 numbers, within five standard deviations of theirs.
TEST(DistRandomNumbers, HaveTheirMoments) {
    const double n = 40000;
    dist_tensor<double> x(ranks(), {200, 200}), squares(ranks(), {200, 200});
    const auto moments = [&] {
        const double mean = sum(x) / n;
        map_elements(
            squares, [mean](position_view, double v) { return (v - mean) * (v - mean); }, x);
        return std::array{mean, sum(squares) / n};
    };
    fill_uniform(x, 5);
    EXPECT_NEAR(moments()[0], 0.5, 5 * std::sqrt(1 / 12.0 / n));
    EXPECT_NEAR(moments()[1], 1 / 12.0, 5 * std::sqrt(1 / 180.0 / n));
    EXPECT_GE(minimum(x).value, 0.0);
    EXPECT_LT(maximum(x).value, 1.0);
    fill_normal(x, 5, 2, 3);
    EXPECT_NEAR(moments()[0], 2, 5 * 3 / std::sqrt(n));
    EXPECT_NEAR(moments()[1], 9, 5 * 9 * std::sqrt(2 / n));
    const double before = sum(x);
    fill_normal(x, 6, 2, 3);
    EXPECT_NE(sum(x), before);
}

} // namespace
} // namespace tenfold::testing
