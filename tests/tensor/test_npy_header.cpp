#include "tensor/npy_header.hpp"

#include <gtest/gtest.h>

namespace tenfold::testing {
namespace {

using namespace tensor_impl;

npy_header parse(const std::string &bytes, index_t file_size) {
    EXPECT_EQ(npy_header_size("file", bytes.substr(0, npy_prefix_size), file_size),
              static_cast<index_t>(bytes.size()));
    return parse_npy_header("file", bytes, file_size);
}

TEST(NpyHeader, SaysWhatWasWritten) {
    for (const data_type type : {data_type::f32, data_type::f64, data_type::c32, data_type::c64})
        for (const bool fortran_order : {false, true})
            for (const extents_t &shape :
                 {extents_t{}, extents_t{5}, extents_t{3, 0, 2}, extents_t{4, 5, 6}}) {
                const std::string bytes = npy_header_bytes(type, shape, fortran_order);
                EXPECT_EQ(bytes.size() % 64, 0U);
                EXPECT_EQ(bytes[6], 1);
                const index_t size = layout(shape).size() * size_of(type);
                const npy_header header = parse(bytes, static_cast<index_t>(bytes.size()) + size);
                EXPECT_EQ(header.type, type);
                EXPECT_EQ(header.fortran_order, fortran_order);
                EXPECT_EQ(header.shape, shape);
                EXPECT_EQ(header.data_offset, static_cast<index_t>(bytes.size()));
            }
}

TEST(NpyHeader, TakesVersion2WhereItIsLong) {
    const extents_t shape(40000, 1); // two characters each
    const std::string bytes = npy_header_bytes(data_type::f64, shape, true);
    EXPECT_GT(bytes.size(), 80000U);
    EXPECT_EQ(bytes.size() % 64, 0U);
    EXPECT_EQ(bytes[6], 2);
    EXPECT_EQ(parse(bytes, static_cast<index_t>(bytes.size()) + 8).shape, shape);
}

} // namespace
} // namespace tenfold::testing
