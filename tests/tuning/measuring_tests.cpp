#include <gtest/gtest.h>

#include "tuning/measuring.hpp"

namespace tenfold::tuning_impl {
namespace {

using base::machine;

machine with_caches(index_t l2, index_t l3, int l3_shared_by) {
    machine made;
    made.l2 = {l2, 8, 64, 1};
    made.l3 = {l3, 16, 64, l3_shared_by};
    return made;
}

constexpr index_t mib = index_t{1} << 20;
constexpr byte_count no_limit = bytes(INT64_MAX);

TEST(Measuring, WhatFitsTheSecondCacheIsFoundThere) {
    const machine common = with_caches(mib / 2, 32 * mib, 2);
    EXPECT_EQ(sets_in_turn(common, 1, bytes(0), no_limit), 1);
    EXPECT_EQ(sets_in_turn(common, 1, bytes(mib / 2), no_limit), 1);
    EXPECT_EQ(sets_in_turn(common, 1, bytes(mib / 2 + 1), no_limit), 128);
}

TEST(Measuring, SetsInTurnPushEachOtherOutOfTheLastCaches) {
    const machine common = with_caches(mib / 2, 32 * mib, 2);
    EXPECT_EQ(sets_in_turn(common, 1, bytes(4 * mib), no_limit), 16);
    EXPECT_EQ(sets_in_turn(common, 1, bytes(5 * mib), no_limit), 13);
    EXPECT_EQ(sets_in_turn(common, 1, bytes(64 * mib), no_limit), 1);
    EXPECT_EQ(sets_in_turn(common, 1, no_limit, no_limit), 1);
    // Three threads use two last-level caches.
    EXPECT_EQ(sets_in_turn(common, 2, bytes(4 * mib), no_limit), 16);
    EXPECT_EQ(sets_in_turn(common, 3, bytes(4 * mib), no_limit), 32);
    // Without a third-level cache, the second is the last.
    EXPECT_EQ(sets_in_turn(with_caches(mib, 0, 1), 1, bytes(2 * mib), no_limit), 1);
    EXPECT_EQ(sets_in_turn(with_caches(mib, 0, 1), 1, bytes(mib + 1), no_limit), 2);
}

TEST(Measuring, SetsInTurnStayWithinTheLimit) {
    const machine common = with_caches(mib / 2, 32 * mib, 2);
    EXPECT_EQ(sets_in_turn(common, 1, bytes(4 * mib), bytes(15 * mib)), 3);
    EXPECT_EQ(sets_in_turn(common, 1, bytes(4 * mib), bytes(mib)), 1);
}

} // namespace
} // namespace tenfold::tuning_impl
