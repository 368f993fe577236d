// Pieces of a list that ranks take: each place is one rank's, and no rank waits for a slow one.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "mpi/ranks.hpp"
#include "taken_list.hpp"

namespace tenfold::testing {
namespace {

using base::range;
using ccsd::taken_list;

constexpr int root = 0;

std::vector<int> sum_over_ranks(std::vector<int> mine) {
    MPI_Allreduce(MPI_IN_PLACE, mine.data(), static_cast<int>(mine.size()), MPI_INT, MPI_SUM,
                  ranks().comm());
    return mine;
}

void note(std::vector<int> &taken, const range &piece) {
    for (index_t i = piece.begin; i < piece.end; ++i)
        ++taken[static_cast<std::size_t>(i)];
}

TEST(TakenList, EachPlaceIsTakenOnce) {
    for (const index_t count : {0, 1, 2, 3, 7, 40, 1000})
        for (const index_t grain : {1, 3}) {
            SCOPED_TRACE(std::to_string(count) + " places by " + std::to_string(grain));
            std::vector<int> taken(static_cast<std::size_t>(count), 0);
            taken_list shared(ranks(), count, grain);
            index_t before = 0;
            for (range now = shared.next(); !now.empty(); now = shared.next()) {
                EXPECT_GE(now.begin, before);
                EXPECT_EQ(now.begin % grain, 0);
                EXPECT_LE(now.end, count);
                before = now.end;
                note(taken, now);
            }
            EXPECT_TRUE(shared.next().empty());
            EXPECT_EQ(sum_over_ranks(taken), std::vector<int>(taken.size(), 1));
        }
}

TEST(TakenList, RanksThatDawdle) {
    for (const int id : cases_per_rank(40)) {
        SCOPED_TRACE(id);
        random_source random(id);
        const index_t count = random.integer(0, 60);
        random_source own(1000 * (ranks().rank() + 1) + id);
        std::vector<int> taken(static_cast<std::size_t>(count), 0);
        taken_list shared(ranks(), count, random.integer(1, 4));
        for (range now = shared.next(); !now.empty(); now = shared.next()) {
            note(taken, now);
            for (index_t i = now.begin; i < now.end; ++i) {
                if (own.chance(0.7))
                    shared.answer();
                if (own.chance(0.1))
                    std::this_thread::sleep_for(std::chrono::microseconds(own.integer(1, 500)));
            }
        }
        ASSERT_EQ(sum_over_ranks(taken), std::vector<int>(taken.size(), 1));
    }
}

/// Receives an empty message from the root, or waits three seconds.
bool is_told(int tag) {
    using clock = std::chrono::steady_clock;
    for (const auto begin = clock::now(); clock::now() - begin < std::chrono::seconds(3);) {
        int there = 0;
        MPI_Iprobe(root, tag, ranks().comm(), &there, MPI_STATUS_IGNORE);
        if (there != 0) {
            MPI_Recv(nullptr, 0, MPI_INT, root, tag, ranks().comm(), MPI_STATUS_IGNORE);
            return true;
        }
        std::this_thread::yield();
    }
    return false;
}

/// The last rank does not go on before all the rest is taken: nobody may need it for that.
TEST(TakenList, OthersDoWhatASlowRankLeaves) {
    constexpr index_t count = 1600;
    constexpr int tag = 5;
    const int size = ranks().size();
    if (size == 1)
        GTEST_SKIP() << "nobody else";
    const int slow = size - 1;
    taken_list shared(ranks(), count, 1);
    int told = 0;
    index_t mine = 0;
    for (range now = shared.next(); !now.empty(); now = shared.next()) {
        if (ranks().rank() == slow && mine == 0)
            told = is_told(tag) ? 1 : 0;
        mine += now.size();
        shared.answer();
        // Unless the last piece goes away in next(), where the root stays: that is the three
        // seconds.
        if (ranks().rank() == root && shared.taken() == count && told == 0) {
            MPI_Send(nullptr, 0, MPI_INT, slow, tag, ranks().comm());
            told = 1;
        }
    }
    int sent = told;
    MPI_Bcast(&sent, 1, MPI_INT, root, ranks().comm());
    if (ranks().rank() == slow && told < sent)
        MPI_Recv(nullptr, 0, MPI_INT, root, tag, ranks().comm(), MPI_STATUS_IGNORE);
    // Its first piece and the one it asked for at once, a quarter of an equal share each at most.
    if (ranks().rank() == slow) {
        EXPECT_GT(mine, 0);
        EXPECT_LE(mine, count / (2 * size));
    }
    index_t sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, ranks().comm());
    EXPECT_EQ(sum, count);
}

TEST(TakenList, ARankThatFailsEndsItForAll) {
    constexpr index_t count = 400;
    for (int failing = 0; failing < ranks().size(); ++failing)
        for (const int pieces : {0, 1, 3}) {
            SCOPED_TRACE("rank " + std::to_string(failing) + " after " + std::to_string(pieces));
            std::vector<int> taken(count, 0);
            taken_list shared(ranks(), count, 1);
            int left = pieces;
            for (;;) {
                if (ranks().rank() == failing && left-- == 0) {
                    shared.give_up();
                    break;
                }
                const range now = shared.next();
                if (now.empty())
                    break;
                note(taken, now);
            }
            for (const int times : sum_over_ranks(taken))
                ASSERT_LE(times, 1);
            // Nothing is left in the way of the next one.
            std::vector<int> again(count, 0);
            taken_list next(ranks(), count, 1);
            for (range now = next.next(); !now.empty(); now = next.next())
                note(again, now);
            ASSERT_EQ(sum_over_ranks(again), std::vector<int>(count, 1));
        }
}

} // namespace
} // namespace tenfold::testing
