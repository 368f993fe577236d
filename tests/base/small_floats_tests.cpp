// Tests bf16 and f16: all bit patterns in both directions, and rounding against arithmetic in
// double.
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <tenfold/types.hpp>

#include "support/random.hpp"

namespace tenfold {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

template <class Small> Small from_bits(unsigned bits) {
    Small value;
    value.bits = static_cast<std::uint16_t>(bits);
    return value;
}

/// Rounds x to an IEEE format with `fraction_bits` and exponents from `lowest` to `highest`. Every
/// step is exact in double except the one rounding (to nearest even, by nearbyint).
double rounded(double x, int fraction_bits, int lowest, int highest) {
    if (x == 0 || std::isinf(x))
        return x;
    const int exponent = std::max(std::ilogb(x), lowest);
    const double quantum = std::ldexp(1.0, exponent - fraction_bits);
    const double result = std::nearbyint(x / quantum) * quantum;
    return std::abs(result) >= std::ldexp(1.0, highest + 1) ? std::copysign(infinity, x) : result;
}

double rounded_bf16(float x) { return rounded(x, 7, -126, 127); }
double rounded_f16(float x) { return rounded(x, 10, -14, 15); }

/// Returns the value of sign, exponent and fraction by the definition of the formats.
double spelled(unsigned bits, int fraction_bits, int bias) {
    const unsigned fraction_mask = (1U << fraction_bits) - 1;
    const unsigned exponent_mask = (0x7fffU >> fraction_bits);
    const int fraction = static_cast<int>(bits & fraction_mask);
    const auto exponent = static_cast<int>((bits >> fraction_bits) & exponent_mask);
    const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
    if (exponent == static_cast<int>(exponent_mask))
        return fraction == 0 ? sign * infinity : std::nan("");
    if (exponent == 0)
        return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
    return sign * std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
}

template <class Small> void expect_all_patterns(int fraction_bits, int bias) {
    for (unsigned bits = 0; bits < 0x10000U; ++bits) {
        const auto value = static_cast<float>(from_bits<Small>(bits));
        const double expected = spelled(bits, fraction_bits, bias);
        if (std::isnan(expected)) {
            ASSERT_TRUE(std::isnan(value)) << std::hex << bits;
            const Small back(value);
            ASSERT_TRUE(std::isnan(static_cast<float>(back))) << std::hex << bits;
            ASSERT_EQ(back.bits & 0x8000U, bits & 0x8000U) << std::hex << bits;
            continue;
        }
        ASSERT_EQ(value, expected) << std::hex << bits;
        ASSERT_EQ(std::signbit(value), (bits & 0x8000U) != 0) << std::hex << bits;
        ASSERT_EQ(Small(value).bits, bits);
    }
}

TEST(SmallFloats, all_bf16_patterns_survive) { expect_all_patterns<bf16>(7, 127); }
TEST(SmallFloats, all_f16_patterns_survive) { expect_all_patterns<f16>(10, 15); }

void expect_rounding(std::uint32_t word) {
    const auto value = std::bit_cast<float>(word);
    if (std::isnan(value)) {
        ASSERT_TRUE(std::isnan(static_cast<float>(bf16(value)))) << std::hex << word;
        ASSERT_TRUE(std::isnan(static_cast<float>(f16(value)))) << std::hex << word;
        return;
    }
    ASSERT_EQ(static_cast<float>(bf16(value)), rounded_bf16(value)) << std::hex << word;
    ASSERT_EQ(static_cast<float>(f16(value)), rounded_f16(value)) << std::hex << word;
    ASSERT_EQ(bf16(value).bits >> 15, word >> 31) << std::hex << word;
    ASSERT_EQ(f16(value).bits >> 15, word >> 31) << std::hex << word;
}

/// Every upper half, with lower halves at, just below and just above the ties of both formats.
TEST(SmallFloats, rounding_at_every_tie) {
    constexpr std::array<std::uint32_t, 20> lower{
        0x0000, 0x0001, 0x0fff, 0x1000, 0x1001, 0x2000, 0x2fff, 0x3000, 0x3001, 0x4fff,
        0x5000, 0x6001, 0x7000, 0x7fff, 0x8000, 0x8001, 0x9000, 0xb000, 0xf000, 0xffff};
    for (std::uint32_t upper = 0; upper < 0x10000U; ++upper)
        for (const std::uint32_t low : lower) {
            expect_rounding((upper << 16) | low);
            if (HasFatalFailure())
                return;
        }
}

/// The ties between f16's subnormals are at many bit positions of a float, so that each midpoint is
/// tested.
TEST(SmallFloats, rounding_between_neighbours) {
    for (unsigned bits = 0; bits < 0x7c00U; ++bits) {
        const auto below = static_cast<double>(static_cast<float>(from_bits<f16>(bits)));
        const double above =
            bits == 0x7bffU ? 65536.0 : static_cast<float>(from_bits<f16>(bits + 1));
        const auto middle = static_cast<float>((below + above) / 2);
        const unsigned even = bits % 2 == 0 ? bits : bits + 1;
        ASSERT_EQ(f16(middle).bits, even);
        ASSERT_EQ(f16(std::nextafter(middle, 0.0F)).bits, bits);
        ASSERT_EQ(f16(std::nextafter(middle, infinity)).bits, bits + 1);
        ASSERT_EQ(f16(-middle).bits, even | 0x8000U);
    }
}

TEST(SmallFloats, rounding_of_random_floats) {
    for (const int test_case : testing::cases(200)) {
        testing::random_source random(test_case);
        SCOPED_TRACE(testing::rerun_line(test_case));
        for (int i = 0; i < 5'000; ++i) {
            expect_rounding(static_cast<std::uint32_t>(random.integer(0, UINT32_MAX)));
            if (HasFatalFailure())
                return;
        }
    }
}

TEST(SmallFloats, limits) {
    EXPECT_EQ(f16(65504.0F).bits, 0x7bffU);
    EXPECT_EQ(f16(65519.996F).bits, 0x7bffU);
    EXPECT_EQ(f16(65520.0F).bits, 0x7c00U);
    EXPECT_EQ(f16(std::ldexp(1.0F, -24)).bits, 1U);
    EXPECT_EQ(f16(std::ldexp(1.0F, -25)).bits, 0U); // half of the smallest: to even
    EXPECT_EQ(f16(-0.0F).bits, 0x8000U);
    EXPECT_EQ(bf16(std::numeric_limits<float>::max()).bits, 0x7f80U);
    EXPECT_EQ(bf16(-infinity).bits, 0xff80U);
    EXPECT_EQ(bf16(1.0F).bits, 0x3f80U);
    EXPECT_EQ(bf16().bits, 0U);
    // A NaN whose payload is in the lower half must not become infinite.
    EXPECT_TRUE(std::isnan(static_cast<float>(bf16(std::bit_cast<float>(0x7f800001U)))));
    EXPECT_TRUE(std::isnan(static_cast<float>(f16(std::bit_cast<float>(0xff800001U)))));
}

} // namespace
} // namespace tenfold
