// Tests the kernels that copy boxes: every number of rows and columns around a register's, on each
// instruction set, between protected pages.
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/machine.hpp"
#include "simd/kernel_table.hpp"
#include "support/fenced.hpp"
#include "support/random.hpp"
#include "transpose/kernels/box_abi.hpp"

TENFOLD_DECLARE_KERNELS(transpose_boxes, tenfold::transpose_impl::box_kernels)

namespace tenfold {
namespace {

using testing::random_source;
using transpose_impl::box_copy;
using transpose_impl::box_dimension;
using transpose_impl::box_kernels;

/// Rows of q elements, p of them in each of the places of two dimensions.
struct box {
    index_t size, p, q;
    bool adjacent;
    std::vector<index_t> p_from, q_to;
    std::vector<box_dimension> dimensions;
    index_t bytes_from, bytes_to;
};

box make_box(random_source &random, index_t size, index_t p, index_t q) {
    box made{size, p, q, q == 1 && random.chance(0.5), {}, {}, {}, 0, 0};
    const index_t row = (made.adjacent ? 1 : q + random.integer(0, 3)) * size;
    for (index_t i = 0; i < p; ++i)
        made.p_from.push_back(i * row);
    for (index_t j = 0; j < q; ++j)
        made.q_to.push_back(j * p * size);
    if (!made.adjacent)
        random.shuffle(made.p_from);
    random.shuffle(made.q_to);
    index_t from = p * row, to = p * q * size;
    for (int k = 0; k < 2; ++k) {
        const index_t extent = random.integer(1, 3);
        made.dimensions.push_back({extent, from, to});
        from *= extent;
        to *= extent;
    }
    made.bytes_from = from - row + (made.adjacent ? 1 : q) * size; // no padding follows the last
    made.bytes_to = to;
    return made;
}

/// What the kernels do, element by element.
void copy_slowly(const box &x, const char *from, char *to) {
    for (index_t k = 0; k < x.dimensions[1].extent; ++k)
        for (index_t i = 0; i < x.dimensions[0].extent; ++i)
            for (index_t q = 0; q < x.q; ++q)
                for (index_t p = 0; p < x.p; ++p)
                    std::memcpy(to + k * x.dimensions[1].to + i * x.dimensions[0].to +
                                    x.q_to[static_cast<std::size_t>(q)] + p * x.size,
                                from + k * x.dimensions[1].from + i * x.dimensions[0].from +
                                    x.p_from[static_cast<std::size_t>(p)] + q * x.size,
                                static_cast<std::size_t>(x.size));
}

void equals_slow_copy(const box_kernels &kernels, const box &x, testing::side fence) {
    testing::fenced_memory from(x.bytes_from, fence), to(x.bytes_to, fence);
    for (index_t k = 0; k < x.bytes_from; ++k)
        from.data()[k] = static_cast<char>(k * 37 % 251);
    std::vector<char> expected(static_cast<std::size_t>(x.bytes_to));
    copy_slowly(x, from.data(), expected.data());
    const std::vector<index_t> lines{0, x.bytes_from / 2, x.bytes_from - 1};
    const transpose_impl::coming_lines next{from.data(), lines.data(), std::ssize(lines)};
    (x.size == 4 ? kernels.copy4 : kernels.copy8)({from.data(),
                                                   to.data(),
                                                   x.p,
                                                   x.adjacent ? nullptr : x.p_from.data(),
                                                   x.q,
                                                   x.q_to.data(),
                                                   x.dimensions.data(),
                                                   std::ssize(x.dimensions),
                                                   {next, {}}});
    ASSERT_EQ(std::memcmp(to.data(), expected.data(), expected.size()), 0);
}

TEST(Boxes, CopiesOfAnyShapeEqualSlowOnes) {
    constexpr index_t most = 35; // two of the longest registers, and a few
    const base::machine here = base::machine::detect();
    for (const auto &one : TENFOLD_KERNEL_TABLE(transpose_boxes)) {
        if (!runs(here, one.variant))
            continue;
        SCOPED_TRACE(std::string(one.variant.name));
        random_source random(1);
        for (const index_t size : {4, 8})
            for (index_t p = 1; p <= most; ++p)
                for (index_t q = 1; q <= most; ++q) {
                    SCOPED_TRACE("size " + std::to_string(size) + ", p " + std::to_string(p) +
                                 ", q " + std::to_string(q));
                    const box x = make_box(random, size, p, q);
                    for (const testing::side fence : {testing::side::begin, testing::side::end})
                        equals_slow_copy(*one.kernels, x, fence);
                    if (HasFatalFailure())
                        return;
                }
    }
}

} // namespace
} // namespace tenfold
