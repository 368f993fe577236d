// Tests sizes in the form that users write and read.
#include <gtest/gtest.h>

#include "base/text.hpp"

namespace tenfold::base {
namespace {

TEST(ParseByteCount, integers_with_units) {
    EXPECT_EQ(parse_byte_count("0"), bytes(0));
    EXPECT_EQ(parse_byte_count("512"), bytes(512));
    EXPECT_EQ(parse_byte_count("3KiB"), bytes(3072));
    EXPECT_EQ(parse_byte_count("512MiB"), mib(512));
    EXPECT_EQ(parse_byte_count("16GiB"), gib(16));
    EXPECT_EQ(parse_byte_count("007"), bytes(7));
    EXPECT_EQ(parse_byte_count("9223372036854775807"), bytes(INT64_MAX));
    EXPECT_EQ(parse_byte_count("8589934591GiB"), gib(8589934591));
}

TEST(ParseByteCount, refuses_everything_else) {
    for (const char *text : {"",
                             " ",
                             "KiB",
                             "-1",
                             "-0x",
                             "+5",
                             "1.5GiB",
                             "1 KiB",
                             " 1",
                             "1 ",
                             "1kib",
                             "1K",
                             "1kB",
                             "1MB",
                             "1KiBs",
                             "1TiB",
                             "0x10",
                             "1e3",
                             "9223372036854775808",
                             "8589934592GiB",
                             "9007199254740992KiB",
                             "99999999999999999999999"})
        EXPECT_EQ(parse_byte_count(text), std::nullopt) << "'" << text << "'";
    EXPECT_EQ(parse_byte_count(std::string_view()), std::nullopt);
    EXPECT_EQ(parse_byte_count(std::string_view("1\0", 2)), std::nullopt);
}

TEST(DescribeByteCount, keeps_small_numbers_exact) {
    EXPECT_EQ(describe(bytes(0)), "0 bytes");
    EXPECT_EQ(describe(bytes(512)), "512 bytes");
    EXPECT_EQ(describe(bytes(10239)), "10239 bytes");
    EXPECT_EQ(describe(kib(10)), "10.0 KiB");
    EXPECT_EQ(describe(bytes((3 << 20) / 2)), "1.5 MiB");
    EXPECT_EQ(describe(gib(64)), "64.0 GiB");
    EXPECT_EQ(describe(gib(2048)), "2.0 TiB");
    EXPECT_EQ(describe(bytes(INT64_MAX)), "8388608.0 TiB");
}

} // namespace
} // namespace tenfold::base
