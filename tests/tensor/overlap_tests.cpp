// Compares overlaps_itself() and share_memory() with lists of all elements and all bytes.
#include <algorithm>
#include <cstdint>
#include <set>

#include <gtest/gtest.h>

#include <tenfold/tensor_view.hpp>

#include "support/random.hpp"
#include "tensor/overlap.hpp"

namespace tenfold::tensor_impl {
namespace {

/// The positions of all elements, one entry per index tuple.
std::vector<index_t> all_positions(const layout &shape) {
    std::vector<index_t> positions;
    if (shape.empty())
        return positions;
    positions.push_back(0);
    for (int k = 0; k < shape.order(); ++k) {
        const std::vector<index_t> so_far = positions;
        for (index_t i = 1; i < shape.extent(k); ++i)
            for (const index_t position : so_far)
                positions.push_back(position + i * shape.stride(k));
    }
    return positions;
}

bool counted_overlap(const layout &shape) {
    std::vector<index_t> positions = all_positions(shape);
    std::sort(positions.begin(), positions.end());
    return std::adjacent_find(positions.begin(), positions.end()) != positions.end();
}

std::set<std::intptr_t> all_bytes(const placement &where) {
    std::set<std::intptr_t> result;
    for (const index_t position : all_positions(*where.shape))
        for (index_t byte = 0; byte < where.element_size; ++byte)
            result.insert(reinterpret_cast<std::intptr_t>(where.data) +
                          position * where.element_size + byte);
    return result;
}

bool counted_sharing(const placement &one, const placement &other) {
    const std::set<std::intptr_t> bytes_of_other = all_bytes(other);
    const std::set<std::intptr_t> bytes_of_one = all_bytes(one);
    return std::any_of(bytes_of_one.begin(), bytes_of_one.end(),
                       [&](std::intptr_t byte) { return bytes_of_other.contains(byte); });
}

/// Some layouts are dense and permuted, some have gaps, some are arbitrary; often one stride is
/// negative or zero.
layout random_layout(testing::random_source &random) {
    const auto order = static_cast<std::size_t>(random.integer(0, 5));
    extents_t extents(order), strides(order);
    for (index_t &extent : extents)
        extent = random.chance(0.03) ? 0 : random.integer(1, 4);
    if (random.chance(0.5)) {
        std::vector<std::size_t> modes(order);
        for (std::size_t k = 0; k < order; ++k)
            modes[k] = k;
        random.shuffle(modes);
        index_t step = random.integer(1, 2);
        for (const std::size_t k : modes) {
            strides[k] = step;
            step *= std::max<index_t>(1, extents[k] + random.integer(-1, 2));
        }
        if (order > 0 && random.chance(0.3))
            strides[modes[0]] *= random.integer(-1, 2);
    } else {
        for (index_t &stride : strides)
            stride = random.integer(-15, 15);
    }
    return {extents, strides};
}

TEST(OverlapsItself, random_layouts_agree_with_counting) {
    int overlapping = 0;
    const auto list = testing::cases(20'000);
    for (const int test_case : list) {
        testing::random_source random(test_case);
        const layout shape = random_layout(random);
        SCOPED_TRACE(shape.describe() + "\n" + testing::rerun_line(test_case));
        const bool expected = counted_overlap(shape);
        overlapping += expected ? 1 : 0;
        ASSERT_EQ(shape.overlaps_itself(), expected);
    }
    if (list.size() > 1) { // the layouts are neither all good nor all bad
        EXPECT_GT(overlapping, 4'000);
        EXPECT_LT(overlapping, 16'000);
    }
}

TEST(OverlapsItself, interleaved_strides) {
    EXPECT_FALSE(overlaps_itself({3, 2}, {2, 3})); // 0 2 4 3 5 7
    EXPECT_TRUE(overlaps_itself({4, 3}, {2, 3}));  // 6 = 3 * 2 = 2 * 3
    EXPECT_FALSE(overlaps_itself({1000, 999}, {999, 1000}));
    EXPECT_TRUE(overlaps_itself({1001, 1000}, {999, 1000}));
    EXPECT_TRUE(overlaps_itself({2, 2}, {5, -5}));
    EXPECT_TRUE(overlaps_itself({2}, {0}));
    EXPECT_FALSE(overlaps_itself({1}, {0}));
}

TEST(OverlapsItself, huge_extents) {
    const index_t big = index_t{1} << 40;
    EXPECT_FALSE(overlaps_itself({big, 2}, {2, 1}));
    EXPECT_FALSE(overlaps_itself({big, 1 << 20}, {1 << 20, 1}));
    EXPECT_TRUE(overlaps_itself({big, 3}, {2, 1}));
    EXPECT_FALSE(overlaps_itself({big, 0, 3}, {INT64_MIN, 1, 1}));
}

TEST(OverlapsItself, high_orders_take_no_time) {
    extents_t extents(60, 2), strides(60);
    for (std::size_t k = 0; k < 60; ++k)
        strides[(k * 7) % 60] = (index_t{1} << k) * (k % 3 == 0 ? -1 : 1);
    EXPECT_FALSE(overlaps_itself(extents, strides));
    strides[13] = strides[14];
    EXPECT_TRUE(overlaps_itself(extents, strides));
}

/// Subset sums of large numbers: if the search gives up, it gives the safe answer.
TEST(OverlapsItself, hard_problems_end) {
    for (const int test_case : testing::cases(3)) {
        testing::random_source random(test_case);
        extents_t extents(40, 3), strides(40);
        for (index_t &stride : strides)
            stride = random.integer(index_t{1} << 50, index_t{1} << 51);
        EXPECT_TRUE(overlaps_itself(extents, strides)) << testing::rerun_line(test_case);
    }
}

TEST(ShareMemory, random_layouts_agree_with_counting) {
    int sharing = 0;
    alignas(64) static std::byte memory[1 << 16];
    const std::vector<index_t> sizes{2, 4, 8, 16};
    const auto list = testing::cases(20'000);
    for (const int test_case : list) {
        testing::random_source random(test_case);
        const layout one_shape = random_layout(random), other_shape = random_layout(random);
        const index_t one_size = random.pick(sizes);
        const index_t other_size = random.chance(0.6) ? one_size : random.pick(sizes);
        const index_t unit = random.chance(0.8) ? std::min(one_size, other_size) : 1;
        std::byte *const middle = memory + (1 << 15);
        const placement one{middle, one_size, &one_shape};
        const placement other{middle + unit * random.integer(-30, 30), other_size, &other_shape};
        SCOPED_TRACE(one_shape.describe() + " and " + other_shape.describe() + "\n" +
                     testing::rerun_line(test_case));
        const bool expected = counted_sharing(one, other);
        sharing += expected ? 1 : 0;
        ASSERT_EQ(share_memory(one, other), expected);
        ASSERT_EQ(share_memory(other, one), expected);
    }
    if (list.size() > 1) {
        EXPECT_GT(sharing, 4'000);
        EXPECT_LT(sharing, 16'000);
    }
}

TEST(ShareMemory, neighbours_and_interleaved_tensors) {
    alignas(16) static double memory[64];
    const layout dense({4, 4}), spread({4, 4}, {2, 8}), single;
    const auto shares = [](const double *a, const layout &first, const double *b,
                           const layout &second) {
        return share_memory({a, 8, &first}, {b, 8, &second});
    };
    EXPECT_FALSE(shares(memory, dense, memory + 16, dense));
    EXPECT_TRUE(shares(memory, dense, memory + 15, dense));
    EXPECT_FALSE(shares(memory, spread, memory + 1, spread));
    EXPECT_TRUE(shares(memory, spread, memory + 2, spread));
    EXPECT_TRUE(shares(memory, single, memory, single));
    EXPECT_FALSE(shares(memory, single, memory + 1, single));
    // Real and imaginary parts as two real tensors; the complex tensor contains both.
    EXPECT_TRUE(share_memory({memory, 16, &dense}, {memory + 1, 8, &spread}));
    const layout empty({4, 0});
    EXPECT_FALSE(shares(memory, dense, memory, empty));
    EXPECT_FALSE(shares(nullptr, empty, nullptr, empty));
}

/// Even and odd elements of a large array: the answer is exact, not merely safe.
TEST(ShareMemory, large_interleaved_tensors) {
    const auto *const base = reinterpret_cast<const std::byte *>(std::uintptr_t{1} << 40);
    const layout shape({3000, 1000, 500}, {2, 6000, 6'000'000});
    EXPECT_FALSE(share_memory({base, 8, &shape}, {base + 8, 8, &shape}));
    EXPECT_FALSE(share_memory({base, 8, &shape}, {base + 8 + 8 * 6000, 8, &shape}));
    EXPECT_TRUE(share_memory({base, 8, &shape}, {base + 16, 8, &shape}));
    EXPECT_TRUE(share_memory({base, 8, &shape}, {base + 1, 8, &shape}));
    // The same elements with modes in another order.
    const layout permuted({500, 3000, 1000}, {6'000'000, 2, 6000});
    EXPECT_FALSE(share_memory({base, 8, &shape}, {base + 8, 8, &permuted}));
}

/// Two blocks of a tensor of high order, which share one corner, or nothing if one offset is
/// larger.
TEST(ShareMemory, blocks_of_one_tensor) {
    const auto *const base = reinterpret_cast<const std::byte *>(std::uintptr_t{1} << 40);
    const std::size_t order = 28;
    const layout parent(extents_t(order, 4));
    const layout block = layout::within(extents_t(order, 2), extents_t(order, 4));
    extents_t offset(order, 1);
    const auto at = [&](const extents_t &where) {
        return placement{base + 2 * parent.offset_of(where), 2, &block};
    };
    EXPECT_TRUE(share_memory(at(extents_t(order, 0)), at(offset)));
    for (const std::size_t k : {0U, 13U, 27U}) {
        offset = extents_t(order, 1);
        offset[k] = 2;
        EXPECT_FALSE(share_memory(at(extents_t(order, 0)), at(offset))) << k;
    }
}

/// Halves of a tensor of high order, split in its fastest mode: at every level two carries are
/// possible, and only the last level excludes both.
TEST(ShareMemory, halves_of_one_tensor) {
    const auto *const base = reinterpret_cast<const std::byte *>(std::uintptr_t{1} << 40);
    extents_t half(28, 4);
    half[0] = 2;
    const layout shape = layout::within(half, extents_t(28, 4));
    EXPECT_FALSE(share_memory({base, 2, &shape}, {base + 4, 2, &shape}));
    EXPECT_TRUE(share_memory({base, 2, &shape}, {base + 2, 2, &shape}));
}

/// Layouts that no memory could hold: plans are made for any pointer, so that nothing may overflow.
TEST(ShareMemory, positions_near_2_to_the_63) {
    const layout far({2}, {INT64_MAX}), near({2}, {-INT64_MAX});
    int here = 0;
    EXPECT_TRUE(share_memory({&here, 16, &far}, {&here, 16, &far}));
    EXPECT_TRUE(share_memory({&here, 16, &far}, {&here, 16, &near}));
    EXPECT_FALSE(share_memory({&here, 4, &far}, {&here + 1, 4, &far}));
}

} // namespace
} // namespace tenfold::tensor_impl
