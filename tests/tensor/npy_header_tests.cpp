#include "tensor/npy.hpp"

#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include <tenfold/error.hpp>

#include "support/message_of.hpp"
#include "support/npy_bytes.hpp"

namespace tenfold::testing {
namespace {

using namespace tensor_impl;

npy_header parse(const std::string &bytes, index_t file_size) {
    EXPECT_EQ(npy_header_size("file", bytes.substr(0, npy_prefix_size), file_size),
              static_cast<index_t>(bytes.size()));
    return parse_npy_header("file", bytes, file_size);
}

TEST(NpyHeader, SaysWhatWasWritten) {
    for (const data_type type : {data_type::f32, data_type::f64, data_type::c32, data_type::c64,
                                 data_type::f16, data_type::i8, data_type::u8, data_type::i32})
        for (const bool fortran_order : {false, true})
            for (const extents_t &shape :
                 {extents_t{}, extents_t{5}, extents_t{3, 0, 2}, extents_t{4, 5, 6}}) {
                const std::string bytes = npy_header_bytes(type, shape, fortran_order);
                EXPECT_EQ(bytes.size() % 64, 0U);
                EXPECT_EQ(bytes[6], 1);
                const index_t size = layout(shape).size() * size_of(type);
                const npy_header header = parse(bytes, static_cast<index_t>(bytes.size()) + size);
                EXPECT_TRUE(header.element.is_stored_as(type));
                EXPECT_EQ(header.fortran_order, fortran_order);
                EXPECT_EQ(header.shape, shape);
                EXPECT_EQ(header.data_offset, static_cast<index_t>(bytes.size()));
            }
}

/// Tests NumPy's limit on the length of headers: longer ones are neither written nor read into
/// memory.
TEST(NpyHeader, OfMoreThanTenThousandBytesIsRefused) {
    EXPECT_EQ(npy_header_bytes(data_type::f64, extents_t(4900, 1), true).size() % 64, 0U);
    static_cast<void>(
        message_of([] { return npy_header_bytes(data_type::f64, extents_t(40000, 1), true); },
                   errc::unsupported));
    const std::string three_gib("\x93NUMPY\x02\x00\x00\x00\x00\xc0", 12);
    EXPECT_EQ(
        message_of([&] { return npy_header_size("file", three_gib, index_t{1} << 40); }, errc::io),
        "'file': has a header of 3221225472 bytes, more than the 10000 that are read: it is "
        "damaged");
}

template <class T> std::string bytes_of(std::initializer_list<T> values) {
    std::string bytes;
    for (const T &value : values) {
        char text[sizeof(T)];
        std::memcpy(text, &value, sizeof(T));
        bytes.append(text, sizeof(T));
    }
    return bytes;
}

/// The elements as T, or the message of the error.
template <class T> struct outcome {
    std::vector<T> values;
    std::string message;
};
template <class T> outcome<T> read(const std::string &descr, const std::string &data) {
    const index_t size = npy_element::parse(descr)->size;
    const auto count = static_cast<index_t>(data.size()) / size;
    const std::string file = npy_bytes(1, npy_dictionary(descr, false, {count}), data);
    const std::string header = file.substr(0, file.size() - data.size());
    outcome<T> result;
    result.values.resize(static_cast<std::size_t>(count));
    try {
        read_npy_elements(
            "file", parse(header, static_cast<index_t>(file.size())), 0, count, data_type_of<T>,
            result.values.data(), [&](index_t offset, void *to, index_t bytes) {
                std::memcpy(to, file.data() + offset, static_cast<std::size_t>(bytes));
            });
    } catch (const error &problem) {
        result.message = problem.what();
    }
    return result;
}

template <class T> std::vector<double> as_doubles(const std::vector<T> &values) {
    std::vector<double> result;
    for (const T &value : values)
        if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>)
            result.push_back(static_cast<float>(value));
        else if constexpr (std::is_floating_point_v<T>)
            result.push_back(static_cast<double>(value));
        else
            result.push_back(std::real(value));
    return result;
}

template <class T> class NpyIntegers : public ::testing::Test {};
using element_types = list_of_element_types<::testing::Types>;
TYPED_TEST_SUITE(NpyIntegers, element_types);

TYPED_TEST(NpyIntegers, OfEveryWidthBecomeElements) {
    const std::vector<double> expected = {1, 0, 100, 127};
    const std::vector<std::pair<std::string, std::string>> files = {
        {"|i1", bytes_of<std::int8_t>({1, 0, 100, 127})},
        {"|u1", bytes_of<std::uint8_t>({1, 0, 100, 127})},
        {"<i2", bytes_of<std::int16_t>({1, 0, 100, 127})},
        {"<u2", bytes_of<std::uint16_t>({1, 0, 100, 127})},
        {">u2", std::string("\0\1\0\0\0\144\0\177", 8)},
        {"<i4", bytes_of<std::int32_t>({1, 0, 100, 127})},
        {"<u4", bytes_of<std::uint32_t>({1, 0, 100, 127})},
        {"<i8", bytes_of<std::int64_t>({1, 0, 100, 127})},
        {"<u8", bytes_of<std::uint64_t>({1, 0, 100, 127})},
        {">i4", std::string("\0\0\0\1\0\0\0\0\0\0\0\144\0\0\0\177", 16)},
        {"<f2", std::string("\x00\x3c\x00\x00\x40\x56\xf0\x57", 8)},
        {">f2", std::string("\x3c\x00\x00\x00\x56\x40\x57\xf0", 8)},
    };
    for (const auto &[descr, data] : files) {
        SCOPED_TRACE(descr);
        const auto found = read<TypeParam>(descr, data);
        EXPECT_EQ(found.message, "");
        EXPECT_EQ(as_doubles(found.values), expected);
    }
    EXPECT_EQ(as_doubles(read<TypeParam>("<i8", bytes_of<std::int64_t>({-7, -128})).values),
              (std::vector<double>{-7, -128}));
    EXPECT_EQ(as_doubles(read<TypeParam>("|b1", std::string("\1\0", 2)).values),
              (std::vector<double>{1, 0}));
    EXPECT_EQ(read<TypeParam>("|b1", std::string("\1\2", 2)).message,
              "'file': element [1] is 2: expected 0 or 1, the values of a bool");
}

template <class T> void expect_exact(std::int64_t fits, std::int64_t too_large) {
    SCOPED_TRACE(name(data_type_of<T>));
    const auto fine = read<T>("<i8", bytes_of<std::int64_t>({fits, -fits}));
    EXPECT_EQ(fine.message, "");
    EXPECT_EQ(as_doubles(fine.values)[1], -static_cast<double>(fits));
    EXPECT_EQ(read<T>("<i8", bytes_of<std::int64_t>({fits, too_large})).message,
              "'file': element [1] is " + std::to_string(too_large) + ", which " +
                  std::string(name(data_type_of<T>)) + " does not hold exactly");
}

TEST(NpyIntegers, StayIntegers) {
    EXPECT_EQ(npy_element::of(data_type::i8).descr(), "|i1");
    EXPECT_EQ(npy_element::of(data_type::u8).descr(), "|u1");
    EXPECT_EQ(npy_element::of(data_type::i32).descr(), "<i4");
    EXPECT_EQ(npy_element::of(data_type::c32).descr(), "<c8");
    const std::vector<std::int8_t> expected = {-128, 127, 3};
    EXPECT_EQ(read<std::int8_t>("|i1", bytes_of<std::int8_t>({-128, 127, 3})).values, expected);
    EXPECT_EQ(read<std::int8_t>("<i8", bytes_of<std::int64_t>({-128, 127, 3})).values, expected);
    EXPECT_EQ(read<std::uint8_t>("|b1", std::string("\1\0", 2)).values,
              (std::vector<std::uint8_t>{1, 0}));
    EXPECT_EQ(read<std::int32_t>(">i2", std::string("\xff\xfe\0\1", 4)).values,
              (std::vector<std::int32_t>{-2, 1}));
    EXPECT_EQ(read<std::int32_t>("<u4", bytes_of<std::uint32_t>({0x7fffffff})).values[0],
              0x7fffffff);
    EXPECT_EQ(read<std::int8_t>("|u1", bytes_of<std::uint8_t>({127, 128})).message,
              "'file': element [1] is 128, which i8 does not hold exactly");
    EXPECT_EQ(read<std::uint8_t>("|i1", bytes_of<std::int8_t>({-1})).message,
              "'file': element [0] is -1, which u8 does not hold exactly");
    EXPECT_EQ(read<std::int32_t>("<u4", bytes_of<std::uint32_t>({0x80000000})).message,
              "'file': element [0] is 2147483648, which i32 does not hold exactly");
    for (const char *descr : {"<f2", "<f4", "<f8", "<c8"})
        EXPECT_NE(read<std::int32_t>(descr, std::string(8, '\0')).message.find(", not i32"),
                  std::string::npos)
            << descr;
}

TEST(NpyIntegers, ThatATypeDoesNotHoldAreRefused) {
    expect_exact<bf16>(256, 257);
    expect_exact<f16>(2048, 2049);
    expect_exact<f16>(65504, 65536);
    expect_exact<float>(1 << 24, (1 << 24) + 1);
    expect_exact<c32>((1 << 25) + 4, (1 << 25) + 1);
    expect_exact<float>(index_t{1} << 60, (index_t{1} << 60) + 1);
    expect_exact<double>(index_t{1} << 53, (index_t{1} << 53) + 1);
    expect_exact<double>(index_t{1} << 62, INT64_MAX);
    const auto largest = read<double>("<u8", bytes_of<std::uint64_t>({UINT64_MAX}));
    EXPECT_NE(largest.message.find("18446744073709551615"), std::string::npos) << largest.message;
    const auto least = read<float>("<i8", bytes_of<std::int64_t>({INT64_MIN}));
    EXPECT_EQ(least.message, "");
    EXPECT_EQ(least.values, std::vector<float>{-0x1p63F});
}

TEST(NpyElements, OfHalfPrecisionKeepWhatIsNoNumber) {
    const std::string data("\x00\x7e\x00\x7c\x00\xfc\x01\x00", 8); // NaN, +-infinity, the least
    const auto found = read<double>("<f2", data);
    EXPECT_EQ(found.message, "");
    EXPECT_TRUE(std::isnan(found.values[0]));
    EXPECT_EQ(found.values[1], std::numeric_limits<double>::infinity());
    EXPECT_EQ(found.values[2], -std::numeric_limits<double>::infinity());
    EXPECT_EQ(found.values[3], 0x1p-24);
    const auto bits = bytes_of<std::uint16_t>({0x3c01}); // 1 + 2^-10
    EXPECT_NE(read<bf16>("<f2", bits).message.find("bf16 does not hold"), std::string::npos);
}

TEST(NpyElements, OfTwoBytesWithoutAMeaningAreBf16) {
    EXPECT_EQ(npy_element::of(data_type::bf16).descr(), "<V2");
    EXPECT_EQ(npy_element::of(data_type::f16).descr(), "<f2");
    for (const char *descr : {"<V2", "|V2"}) {
        EXPECT_EQ(npy_element::parse(descr)->type(), data_type::bf16);
        EXPECT_FALSE(npy_element::parse(descr)->adapts());
        const auto found = read<bf16>(descr, bytes_of<std::uint16_t>({0x3f80, 0xc000}));
        EXPECT_EQ(found.message, "");
        EXPECT_EQ(static_cast<float>(found.values.at(0)), 1.0F);
        EXPECT_EQ(static_cast<float>(found.values.at(1)), -2.0F);
        EXPECT_NE(read<float>(descr, std::string(2, '\0')).message.find("bfloat16, not f32"),
                  std::string::npos);
    }
    EXPECT_FALSE(npy_element::parse("V4"));
}

TEST(NpyElements, OfTheOtherOrderOfBytesAreTurnedRound) {
    std::string data = bytes_of<double>({1.25, -3e300});
    for (std::size_t at = 0; at < data.size(); at += 8)
        std::reverse(data.begin() + static_cast<std::ptrdiff_t>(at),
                     data.begin() + static_cast<std::ptrdiff_t>(at) + 8);
    EXPECT_EQ(read<double>(">f8", data).values, (std::vector<double>{1.25, -3e300}));
    EXPECT_EQ(read<c64>(">c16", data).values, (std::vector<c64>{{1.25, -3e300}}));
    EXPECT_NE(read<float>(">f8", data).message, "");
    EXPECT_NE(read<double>("<c16", data).message, "");
}

/// Every beginning of a file, and every change of a byte, gives an error or a header that fits the
/// file; nothing crashes or reads beyond the file.
TEST(NpyHeader, NoDamageIsFatal) {
    const std::string good =
        npy_bytes(1, npy_dictionary(">i2", false, {2, 3}), std::string(12, '\1'));
    int refused = 0;
    const auto read_damaged = [&](const std::string &bytes) {
        const auto size = static_cast<index_t>(bytes.size());
        try {
            const index_t header_size = npy_header_size("file", bytes.substr(0, 12), size);
            ASSERT_LE(header_size, size);
            const npy_header header = parse_npy_header(
                "file", bytes.substr(0, static_cast<std::size_t>(header_size)), size);
            const index_t count = layout(header.shape).size();
            ASSERT_EQ(header.data_offset + count * header.element.size, size);
            std::vector<double> elements(static_cast<std::size_t>(count) * 2);
            const data_type type = header.element.adapts() ? data_type::f64 : header.element.type();
            read_npy_elements("file", header, 0, count, type, elements.data(),
                              [&](index_t offset, void *to, index_t part) {
                                  ASSERT_LE(offset + part, size);
                                  std::memcpy(to, bytes.data() + offset,
                                              static_cast<std::size_t>(part));
                              });
        } catch (const error &problem) {
            EXPECT_EQ(problem.code(), errc::io) << problem.what();
            ++refused;
        }
    };
    for (std::size_t size = 0; size < good.size(); ++size)
        read_damaged(good.substr(0, size));
    EXPECT_EQ(refused, static_cast<int>(good.size()));
    for (std::size_t at = 0; at < good.size(); ++at)
        for (int value = 0; value < 256; ++value) {
            SCOPED_TRACE(std::to_string(at) + ": " + std::to_string(value));
            std::string bytes = good;
            bytes[at] = static_cast<char>(value);
            read_damaged(bytes);
        }
    EXPECT_GT(refused, 64 * 200);
}

} // namespace
} // namespace tenfold::testing
