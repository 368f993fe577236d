// Tests that pieces of memory that live at the same time share no bytes, and that others do.
#include <algorithm>

#include <gtest/gtest.h>

#include "contract/sequences/arena_layout.hpp"
#include "support/random.hpp"

namespace tenfold::contract_impl {
namespace {

bool live_together(const lifetime &one, const lifetime &other) {
    return one.first <= other.last && other.first <= one.last;
}

TEST(ArenaLayout, PiecesThatLiveTogetherLieApart) {
    for (const int test_case : testing::cases(20000)) {
        SCOPED_TRACE(testing::rerun_line(test_case));
        testing::random_source random(test_case);
        std::vector<lifetime> pieces;
        const auto count = random.integer(0, 12);
        for (std::int64_t i = 0; i < count; ++i) {
            const auto first = static_cast<std::size_t>(random.integer(0, 9));
            pieces.push_back({64 * random.integer(0, 20), first,
                              first + static_cast<std::size_t>(random.integer(0, 4))});
        }
        const arena_layout arena(pieces);
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            EXPECT_GE(arena.offset(i), 0);
            EXPECT_EQ(arena.offset(i) % 64, 0);
            EXPECT_LE(arena.offset(i) + pieces[i].bytes, arena.size());
            for (std::size_t k = 0; k < i; ++k) {
                if (!live_together(pieces[i], pieces[k]) || pieces[i].bytes * pieces[k].bytes == 0)
                    continue;
                EXPECT_TRUE(arena.offset(i) + pieces[i].bytes <= arena.offset(k) ||
                            arena.offset(k) + pieces[k].bytes <= arena.offset(i));
            }
        }
        for (std::size_t step = 0; step < 14; ++step) {
            // The memory for one step is placed beside everything that lives then, in a gap if it
            // fits.
            const index_t wanted = 64 * random.integer(1, 20);
            const index_t offset = arena.place(step, wanted);
            for (std::size_t i = 0; i < pieces.size(); ++i)
                if (pieces[i].bytes > 0 && pieces[i].first <= step && step <= pieces[i].last) {
                    EXPECT_LE(arena.offset(i) + pieces[i].bytes, arena.top(step));
                    EXPECT_TRUE(offset + wanted <= arena.offset(i) ||
                                arena.offset(i) + pieces[i].bytes <= offset);
                }
            EXPECT_EQ(offset < arena.top(step), wanted <= arena.largest_hole(step));
        }
    }
}

TEST(ArenaLayout, ChainsNeedTheLargestPairOnly) {
    for (const int test_case : testing::cases(200)) {
        SCOPED_TRACE(testing::rerun_line(test_case));
        testing::random_source random(test_case);
        std::vector<lifetime> pieces;
        index_t least = 0;
        for (std::size_t i = 0; i < 12; ++i) {
            pieces.push_back({64 * random.integer(1, 50), i, i + 1});
            if (i > 0)
                least = std::max(least, pieces[i - 1].bytes + pieces[i].bytes);
        }
        EXPECT_EQ(arena_layout(pieces).size(), least);
    }
}

} // namespace
} // namespace tenfold::contract_impl
