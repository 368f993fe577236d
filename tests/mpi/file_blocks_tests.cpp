#include "distributed/plan/file_blocks.hpp"

#include <set>

#include "mpi/ranks.hpp"

namespace tenfold::testing {
namespace {

using dist_impl::file_blocks;

TEST(FileBlocks, AreBoxesThatFollowEachOtherInTheArray) {
    for (const int test_case : cases_per_rank(400)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const extents_t extents = random_extents(random, static_cast<int>(random.integer(0, 5)));
        const bool row_major = random.chance(0.5);
        const index_t most = random.integer(1, 60);
        const layout whole = row_major ? layout::row_major(extents) : layout(extents);
        const file_blocks blocks(extents, row_major, most);

        index_t next = 0;
        index_t largest = 0;
        for (index_t i = 0; i < blocks.count(); ++i) {
            const slice box = blocks.box(i);
            ASSERT_EQ(blocks.begin(i), next);
            ASSERT_GE(box.size(), 1);
            ASSERT_LE(box.size(), most);
            largest = std::max(largest, box.size());
            std::set<index_t> places;
            for_each_position(box.offsets, box.extents, [&](const extents_t &position) {
                const index_t place = whole.offset_of(position);
                places.insert(place);
                extents_t within = position;
                for (std::size_t k = 0; k < within.size(); ++k)
                    within[k] -= box.offsets[k];
                ASSERT_EQ(next + layout(box.extents, blocks.strides_of(box)).offset_of(within),
                          place);
            });
            ASSERT_EQ(static_cast<index_t>(places.size()), box.size());
            next += box.size();
        }
        EXPECT_EQ(next, whole.size());
        EXPECT_EQ(blocks.largest(), largest);
    }
}

TEST(FileBlocks, AreAlikeInSize) {
    const file_blocks blocks({1000, 1025}, false, 1024);
    EXPECT_EQ(blocks.count(), 1025) << "whole columns";
    const file_blocks cut({1025, 3}, false, 1024);
    EXPECT_EQ(cut.count(), 6) << "halves, not 1024 and 1";
    EXPECT_EQ(cut.box(0).extents, (extents_t{512, 1}));
    EXPECT_EQ(cut.box(1).extents, (extents_t{513, 1}));
}

TEST(FileBlocks, CountBeyond32Bits) {
    const index_t million = 1'000'000;
    const file_blocks blocks({million, million, 3}, false, 1 << 19);
    EXPECT_EQ(blocks.count(), 2 * million * 3);
    EXPECT_EQ(blocks.begin(blocks.count() - 1), 3 * million * million - million / 2);
    EXPECT_EQ(blocks.box(blocks.count() - 1).offsets, (extents_t{million / 2, million - 1, 2}));
}

} // namespace
} // namespace tenfold::testing
