// Tests contractions of integers of all sizes, whose products and sums wrap around: with inputs of
// i32, and with many inputs.
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>
#include <tenfold/tenfold.hpp>

#include "support/random.hpp"

namespace tenfold::testing {
namespace {

/// Numbers of all sizes: products of i32 wrap around.
template <class T> std::vector<T> any_numbers(random_source &random, index_t count) {
    std::vector<T> numbers;
    for (index_t i = 0; i < count; ++i)
        numbers.push_back(static_cast<T>(random.integer(INT32_MIN, INT32_MAX)));
    return numbers;
}

template <class TA, class TB> void wide_products(int test_case) {
    random_source random(test_case);
    const index_t m = random.integer(1, 9), n = random.integer(1, 9), k = random.integer(1, 20);
    const auto a = any_numbers<TA>(random, m * k);
    const auto b = any_numbers<TB>(random, k * n);
    auto d = any_numbers<std::int32_t>(random, m * n);
    auto expected = d;
    for (index_t i = 0; i < m; ++i)
        for (index_t j = 0; j < n; ++j) {
            std::uint32_t sum = 0;
            for (index_t p = 0; p < k; ++p)
                sum += static_cast<std::uint32_t>(std::int32_t{a.data()[i + p * m]}) *
                       static_cast<std::uint32_t>(std::int32_t{b.data()[p + j * k]});
            auto &one = expected.data()[i + j * m];
            one = static_cast<std::int32_t>(3 * sum - 5 * static_cast<std::uint32_t>(one));
        }
    contract("ij=ik*kj", tensor_view<const TA>(a.data(), {m, k}),
             tensor_view<const TB>(b.data(), {k, n}), tensor_view<std::int32_t>(d.data(), {m, n}),
             {.alpha = 3.0, .beta = -5.0});
    EXPECT_EQ(d, expected);
}

TEST(Integers, OfThirtyTwoBitsAreMultipliedModuloTwoToThe32) {
    for (const int test_case : cases(20)) {
        SCOPED_TRACE(rerun_line(test_case));
        wide_products<std::int32_t, std::int32_t>(test_case);
        wide_products<std::int32_t, std::int8_t>(test_case);
        wide_products<std::uint8_t, std::int32_t>(test_case);
    }
}

/// Numbers of 32 bits whose products and sums wrap, against the reference, with moves where needed.
TEST(Integers, WideOnesWrapAroundInEveryAlgorithm) {
    random_source random(1);
    const index_t m = 37, n = 29, k = 45;
    const auto wide = any_numbers<std::int32_t>(random, m * k);
    const auto other = any_numbers<std::int32_t>(random, k * n);
    const auto narrow = any_numbers<std::int8_t>(random, k * n);
    const auto c = any_numbers<std::int32_t>(random, m * n);
    const auto check = [&](const auto &b) {
        using TB = typename std::remove_cvref_t<decltype(b)>::value_type;
        for (const std::string expression : {"mn=mk*kn", "nm=km*nk", "mn=km*nk"}) {
            const bool a_is_km = expression[3] == 'k', b_is_nk = expression[6] == 'n';
            const bool d_is_nm = expression[0] == 'n';
            std::vector<std::int32_t> expected;
            for (const algorithm by : {algorithm::reference, algorithm::automatic,
                                       algorithm::direct, algorithm::ttgt, algorithm::loops}) {
                std::vector<std::int32_t> d = c;
                try {
                    contract(expression,
                             tensor_view<const std::int32_t>(
                                 wide.data(), a_is_km ? extents_t{k, m} : extents_t{m, k}),
                             tensor_view<const TB>(b.data(),
                                                   b_is_nk ? extents_t{n, k} : extents_t{k, n}),
                             tensor_view<std::int32_t>(d.data(),
                                                       d_is_nm ? extents_t{n, m} : extents_t{m, n}),
                             {.alpha = 3.0, .beta = -5.0, .algorithm = by});
                } catch (const error &refused) {
                    EXPECT_EQ(refused.code(), errc::unsupported) << refused.what();
                    continue;
                }
                if (expected.empty())
                    expected = d;
                EXPECT_EQ(d, expected) << expression << " by " << name(by);
            }
        }
    };
    check(other);
    check(narrow);
}

TEST(Integers, OfManyInputsEqualPlainLoops) {
    for (const int test_case : cases(20)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const index_t i = random.integer(1, 7), j = random.integer(1, 8), k = random.integer(1, 9),
                      l = random.integer(1, 6);
        const auto a = any_numbers<std::uint8_t>(random, i * j);
        const auto b = any_numbers<std::int8_t>(random, j * k);
        const auto e = any_numbers<std::int8_t>(random, k * l);
        std::vector<std::int32_t> d(static_cast<std::size_t>(i * l), 7);
        std::vector<std::int32_t> expected(d.size());
        for (index_t x = 0; x < i; ++x)
            for (index_t y = 0; y < l; ++y) {
                std::uint32_t sum = 0;
                for (index_t p = 0; p < j; ++p)
                    for (index_t q = 0; q < k; ++q)
                        sum += static_cast<std::uint32_t>(
                            a.data()[x + p * i] * b.data()[p + q * j] * e.data()[q + y * k]);
                expected.data()[x + y * i] = static_cast<std::int32_t>(14 - 2 * sum);
            }
        const contract_options options{.alpha = -2.0, .beta = 2.0};
        contract("il=ij*jk*kl",
                 {tensor_view<const std::uint8_t>(a.data(), {i, j}),
                  tensor_view<const std::int8_t>(b.data(), {j, k}),
                  tensor_view<const std::int8_t>(e.data(), {k, l})},
                 tensor_view<std::int32_t>(d.data(), {i, l}), options);
        EXPECT_EQ(d, expected);
    }
}

} // namespace
} // namespace tenfold::testing
