#include <tenfold/dist_plan.hpp>

#include <gtest/gtest.h>
#include <tenfold/error.hpp>

#include "distributed/plan/slice.hpp"
#include "distributed/plan/split_table.hpp"
#include "support/random.hpp"

namespace tenfold {
namespace {

using dist_impl::cut;
using dist_impl::split_table;

TEST(Cut, NestsAndDoesNotOverflow) {
    for (index_t n = 0; n < 40; ++n)
        for (index_t p = 1; p < 9; ++p)
            for (index_t q = 1; q < 9; ++q)
                for (index_t i = 0; i <= p; ++i)
                    EXPECT_EQ(cut(n, i, p), cut(n, i * q, p * q));
    EXPECT_EQ(cut(INT64_MAX, 1000, 1000), INT64_MAX);
    EXPECT_EQ(cut(INT64_MAX, 500, 1000), INT64_MAX / 2);
}

TEST(Distribution, GivesEveryElementOneOwner) {
    for (const int test_case : testing::cases(300)) {
        SCOPED_TRACE(testing::rerun_line(test_case));
        testing::random_source random(test_case);
        extents_t extents;
        std::vector<int> grid;
        int cells = 1;
        for (int mode = static_cast<int>(random.integer(0, 4)); mode > 0; --mode) {
            extents.push_back(random.integer(0, 7));
            grid.push_back(static_cast<int>(random.integer(1, 4)));
            cells *= grid.back();
        }
        const int ranks = cells + static_cast<int>(random.integer(0, 3));
        std::vector<int> owners;
        for (int rank = 0; rank < ranks; ++rank)
            owners.push_back(rank);
        random.shuffle(owners);
        owners.resize(static_cast<std::size_t>(cells));
        const distribution spread(extents, grid, ranks, owners);

        std::vector<int> count(static_cast<std::size_t>(layout(extents).size()), 0);
        index_t largest = 0;
        for (int rank = 0; rank < ranks; ++rank) {
            const slice block = spread.block_of(rank);
            largest = std::max(largest, block.size());
            for (index_t i = 0; i < block.size(); ++i) {
                extents_t position = block.offsets;
                index_t rest = i;
                for (std::size_t k = 0; k < extents.size(); ++k) {
                    position[k] += rest % block.extents[k];
                    rest /= block.extents[k];
                }
                ++count[static_cast<std::size_t>(layout(extents).offset_of(position))];
                EXPECT_EQ(spread.owner(position), rank);
            }
        }
        for (const int owned : count)
            EXPECT_EQ(owned, 1);
        EXPECT_EQ(largest, spread.largest_block());
    }
}

TEST(Distribution, CopiesHaveTheSameBlocksOnRanksOfTheirOwn) {
    const distribution one({9, 5}, {2, 1}, 7, {6, 0, 3, 1, 5, 4}, 3);
    EXPECT_EQ(one.cells(), 2);
    EXPECT_EQ(one.copies(), 3);
    const int copies[] = {0, 1, -1, 1, 2, 2, 0};
    const int cells[] = {1, 1, -1, 0, 1, 0, 0};
    for (int rank = 0; rank < 7; ++rank) {
        EXPECT_EQ(one.copy_of(rank), copies[rank]);
        EXPECT_EQ(one.cell_of(rank), cells[rank]);
        EXPECT_EQ(one.block_of(rank).none, cells[rank] < 0);
        if (cells[rank] >= 0) {
            const index_t begin = cells[rank] == 0 ? 0 : 4;
            EXPECT_EQ(one.block_of(rank), (slice{{begin, 0}, {cells[rank] == 0 ? 4 : 5, 5}}));
        }
    }
    EXPECT_EQ(one.owner(extents_t{8, 0}), 0);
    EXPECT_EQ(one.describe(), "extents (9, 5), grid 2x1 in 3 copies on 7 ranks, permuted");
    EXPECT_NE(one, distribution({9, 5}, {2, 1}, 7, {6, 0}));
    EXPECT_NE(one.hash(), distribution({9, 5}, {2, 1}, 7, {6, 0}).hash());
}

TEST(Distribution, ReplicatedIsCutLikeABlockDistributionOfFewerRanks) {
    const distribution two = distribution::replicated({40, 40}, 9, 2);
    EXPECT_EQ(two.grid(), distribution::block({40, 40}, 4).grid());
    EXPECT_EQ(two.copy_of(0), 0);
    EXPECT_EQ(two.copy_of(4), 1);
    EXPECT_EQ(two.copy_of(8), -1);
    const distribution everywhere = distribution::replicated({3, 4}, 5, 5);
    for (int rank = 0; rank < 5; ++rank)
        EXPECT_EQ(everywhere.block_of(rank), (slice{{0, 0}, {3, 4}}));
    EXPECT_EQ(distribution::replicated({3, 4}, 5, 1), distribution::block({3, 4}, 5));
}

TEST(Distribution, BlocksOfAModeDifferByOneAtMost) {
    const distribution spread({10}, {4}, 4);
    const index_t offsets[] = {0, 2, 5, 7};
    const index_t extents[] = {2, 3, 2, 3};
    for (int rank = 0; rank < 4; ++rank)
        EXPECT_EQ(spread.block_of(rank), (slice{{offsets[rank]}, {extents[rank]}}));
}

TEST(Distribution, DefaultHasTheSmallestLargestBlock) {
    EXPECT_EQ(distribution::block({8, 8}, 4).grid(), (std::vector<int>{2, 2}));
    EXPECT_EQ(distribution::block({8, 8}, 2).grid(), (std::vector<int>{1, 2}));
    EXPECT_EQ(distribution::block({800, 8}, 4).grid(), (std::vector<int>{4, 1}));
    EXPECT_EQ(distribution::block({3, 2}, 6).grid(), (std::vector<int>{3, 2}));
    EXPECT_EQ(distribution::block({8, 8, 8, 8}, 2).grid(), (std::vector<int>{1, 1, 1, 2}));
    EXPECT_EQ(distribution::block({8, 8, 8, 8}, 4).grid(), (std::vector<int>{2, 1, 1, 2}));
    EXPECT_EQ(distribution::block({8, 8, 8, 8}, 8).grid(), (std::vector<int>{2, 1, 2, 2}));
    EXPECT_EQ(distribution::block({8, 9, 5}, 3).grid(), (std::vector<int>{1, 3, 1}));
    EXPECT_EQ(distribution::block({5}, 8).grid(), (std::vector<int>{5}));
    EXPECT_EQ(distribution::block({}, 8).cells(), 1);
    EXPECT_EQ(distribution::block({0, 9}, 8).cells(), 1);
    EXPECT_EQ(distribution::block({7, 7, 7, 7}, 1).cells(), 1);
    EXPECT_EQ(distribution::block({1, 1, 5}, 16).ranks(), 16);
    // Compares with an exhaustive search over all grids of three modes.
    const extents_t extents{7, 5, 9};
    for (int ranks = 1; ranks <= 40; ++ranks) {
        index_t best = INT64_MAX;
        for (int x = 1; x <= ranks; ++x)
            for (int y = 1; x * y <= ranks; ++y)
                for (int z = 1; x * y * z <= ranks; ++z)
                    best = std::min(best, distribution(extents, {x, y, z}, ranks).largest_block());
        EXPECT_EQ(distribution::block(extents, ranks).largest_block(), best) << ranks;
    }
}

TEST(Distribution, IsAValue) {
    const distribution one({6, 4}, {2, 2}, 5);
    const distribution same({6, 4}, {2, 2}, 5, {0, 1, 2, 3});
    const distribution permuted({6, 4}, {2, 2}, 5, {4, 1, 2, 3});
    EXPECT_EQ(one, same);
    EXPECT_EQ(one.hash(), same.hash());
    EXPECT_NE(one, permuted);
    EXPECT_NE(one.hash(), permuted.hash());
    EXPECT_TRUE(one.block_of(4).none);
    EXPECT_TRUE(permuted.block_of(0).empty());
    EXPECT_EQ(one.describe(), "extents (6, 4), grid 2x2 on 5 ranks");
    EXPECT_EQ(permuted.describe(), "extents (6, 4), grid 2x2 on 5 ranks, permuted");
}

TEST(Distribution, RefusesWhatIsNotOne) {
    const auto code_of = [](auto make) {
        try {
            make();
        } catch (const error &thrown) {
            return thrown.code();
        }
        return errc::ok;
    };
    EXPECT_EQ(code_of([] { distribution({3}, {1, 1}, 1); }), errc::order_mismatch);
    EXPECT_EQ(code_of([] { distribution({3}, {2}, 3, {}, 2); }), errc::invalid_argument);
    EXPECT_EQ(code_of([] { distribution({3}, {2}, 4, {0, 1}, 2); }), errc::invalid_argument);
    EXPECT_EQ(code_of([] { distribution({3}, {2}, 4, {0, 1, 2, 0}, 2); }), errc::invalid_argument);
    EXPECT_EQ(code_of([] { distribution({3}, {2}, 4, {}, 0); }), errc::invalid_argument);
    EXPECT_EQ(code_of([] { distribution::replicated({3}, 4, 5); }), errc::invalid_argument);
    EXPECT_EQ(code_of([] { distribution::replicated({3}, 4, 0); }), errc::invalid_argument);
    EXPECT_EQ(code_of([] { distribution({3}, {2}, 1); }), errc::invalid_argument);
    EXPECT_EQ(code_of([] { distribution({3}, {0}, 1); }), errc::invalid_argument);
    EXPECT_EQ(code_of([] { distribution({3}, {1}, 0); }), errc::invalid_argument);
    EXPECT_EQ(code_of([] { distribution({-3}, {1}, 1); }), errc::invalid_argument);
    EXPECT_EQ(code_of([] { distribution({3}, {2}, 2, {0, 0}); }), errc::invalid_argument);
    EXPECT_EQ(code_of([] { distribution({3}, {2}, 2, {0, 2}); }), errc::invalid_argument);
    EXPECT_EQ(code_of([] { distribution({3}, {2}, 2, {0}); }), errc::invalid_argument);
    EXPECT_EQ(code_of([] { distribution::block({3}, 0); }), errc::invalid_argument);
    EXPECT_EQ(code_of([] { distribution::block({3}, INT32_MAX); }), errc::invalid_argument);
    EXPECT_EQ(code_of([] { distribution({3}, {1}, (1 << 20) + 1); }), errc::invalid_argument);
    EXPECT_EQ(distribution::block({3}, 1 << 20).ranks(), 1 << 20);
    EXPECT_EQ(code_of([] {
                  distribution::block({index_t{1} << 40, index_t{1} << 40}, 2);
              }),
              errc::overflow);
}

TEST(SplitTable, FactorsMultiplyToTheParts) {
    for (int parts = 1; parts <= 64; ++parts) {
        const std::vector<int> factors = split_table({6, 1, 10}, parts).factors();
        EXPECT_EQ(factors[0] * factors[1] * factors[2], parts);
    }
    EXPECT_EQ(split_table({6, 1, 10}, 60).largest(), 1);
    for (const std::vector<int> &factors : split_table({8, 8, 8}, 8).ties(100))
        EXPECT_EQ(factors[0] * factors[1] * factors[2], 8);
    EXPECT_EQ(split_table({8, 8, 8}, 8).ties(100).size(), 10U);
    EXPECT_EQ(split_table({8, 8, 8}, 8).ties(4).size(), 4U);
    EXPECT_EQ(split_table({7, 8}, 2).ties(9), (std::vector<std::vector<int>>{{1, 2}}));
    EXPECT_FALSE(split_table({}, 2).possible());
    EXPECT_TRUE(split_table({}, 1).possible());
}

TEST(SplitTable, UsefulNumbersOfPartsMakeBlocksSmaller) {
    const std::vector<extents_t> all{{6, 1, 10}, {37}, {7, 5, 3}, {1000, 3}, {0, 9}, {}, {1}};
    for (const extents_t &extents : all) {
        std::vector<std::pair<int, index_t>> expected;
        for (int parts = 1; parts <= 128; ++parts) {
            const split_table table(extents, parts);
            if (table.possible() && (expected.empty() || table.largest() < expected.back().second))
                expected.emplace_back(parts, table.largest());
        }
        std::vector<std::pair<int, index_t>> found;
        for (const dist_impl::useful_split &one : dist_impl::useful_splits(extents, 128))
            found.emplace_back(one.parts, one.largest);
        EXPECT_EQ(found, expected);
    }
}

} // namespace
} // namespace tenfold
