// Tests arithmetic that throws on overflow.
#include <functional>

#include <gtest/gtest.h>

#include "base/checked.hpp"

namespace tenfold::base {
namespace {

constexpr index_t largest = INT64_MAX;
constexpr index_t smallest = INT64_MIN;

void expect_overflow(const std::function<index_t()> &action, const std::string &message) {
    try {
        ADD_FAILURE() << action() << "; expected: " << message;
    } catch (const error &e) {
        EXPECT_EQ(e.code(), errc::overflow);
        EXPECT_EQ(e.what(), message);
    }
}

TEST(Checked, multiply) {
    EXPECT_EQ(checked_multiply(-3, 7, "x"), -21);
    EXPECT_EQ(checked_multiply(largest, -1, "x"), -largest);
    EXPECT_EQ(checked_multiply(0, smallest, "x"), 0);
    expect_overflow([] { return checked_multiply(3037000500, 3037000500, "number of elements"); },
                    "number of elements: 3037000500 x 3037000500 does not fit 64 bits");
    expect_overflow([] { return checked_multiply(smallest, -1, "x"); },
                    "x: -9223372036854775808 x -1 does not fit 64 bits");
}

TEST(Checked, add) {
    EXPECT_EQ(checked_add(largest, smallest, "x"), -1);
    EXPECT_EQ(checked_add(largest - 1, 1, "x"), largest);
    expect_overflow([] { return checked_add(largest, 1, "bytes"); },
                    "bytes: 9223372036854775807 + 1 does not fit 64 bits");
    expect_overflow([] { return checked_add(smallest, -1, "x"); },
                    "x: -9223372036854775808 + -1 does not fit 64 bits");
}

TEST(Checked, divide_and_round_up) {
    EXPECT_EQ(divide_up(0, 8), 0);
    EXPECT_EQ(divide_up(1, 8), 1);
    EXPECT_EQ(divide_up(8, 8), 1);
    EXPECT_EQ(divide_up(9, 8), 2);
    EXPECT_EQ(divide_up(largest, 2), (index_t{1} << 62));
    EXPECT_EQ(divide_up(largest, largest), 1);
    EXPECT_EQ(round_up(0, 64), 0);
    EXPECT_EQ(round_up(65, 64), 128);
    EXPECT_EQ(round_up(12, 6), 12);
}

} // namespace
} // namespace tenfold::base
