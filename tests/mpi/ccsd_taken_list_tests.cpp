// Tests lists of which ranks take pieces: each place goes to one rank, and no rank waits for a slow
// one.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "apps/ccsd/taken_list.hpp"
#include "mpi/ranks.hpp"

namespace {

/// On the root: the list whose last piece it reports, and the rank to which it reports.
const tenfold::ccsd::taken_list *open_list = nullptr;
tenfold::index_t open_count = 0;
int listener = 0;

constexpr int all_is_taken = 5; ///< a tag

void tell_if_all_is_taken() {
    if (open_list != nullptr && open_list->taken() == open_count) {
        open_list = nullptr;
        PMPI_Send(nullptr, 0, MPI_INT, listener, all_is_taken, MPI_COMM_WORLD);
    }
}

} // namespace

// The linker takes this before MPI's own. The root assigns pieces by MPI_Send, some within next(),
// which returns only after every rank has been told that there are no more.
extern "C" int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag,
                        MPI_Comm comm) {
    const int result = PMPI_Send(data, count, type, to, tag, comm);
    tell_if_all_is_taken();
    return result;
}

namespace tenfold::testing {
namespace {

using base::range;
using ccsd::taken_list;

constexpr int root = 0;

/// While it lives, the root sends a message to `who` as soon as the whole list is taken.
class watched_list {
public:
    watched_list(const taken_list &list, index_t count, int who) {
        if (ranks().rank() != root)
            return;
        open_list = &list;
        open_count = count;
        listener = who;
    }
    ~watched_list() { open_list = nullptr; }
    watched_list(const watched_list &) = delete;
    watched_list &operator=(const watched_list &) = delete;
};

void wait_until_all_is_taken() {
    MPI_Recv(nullptr, 0, MPI_INT, root, all_is_taken, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

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

/// The last rank waits until the rest of the list is taken, which the others must manage without
/// it.
TEST(TakenList, OthersDoWhatASlowRankLeaves) {
    constexpr index_t count = 1600;
    const int size = ranks().size();
    if (size == 1)
        GTEST_SKIP() << "nobody else";
    const int slow = size - 1;
    taken_list shared(ranks(), count, 1);
    const watched_list watched(shared, count, slow);
    index_t mine = 0;
    for (range now = shared.next(); !now.empty(); now = shared.next()) {
        if (ranks().rank() == slow && mine == 0)
            wait_until_all_is_taken();
        mine += now.size();
        shared.answer();
        tell_if_all_is_taken();
    }
    // Its first piece and the one it asked for at once, each at most a quarter of an equal share.
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
            // No message is left that could disturb the next list.
            std::vector<int> again(count, 0);
            taken_list next(ranks(), count, 1);
            for (range now = next.next(); !now.empty(); now = next.next())
                note(again, now);
            ASSERT_EQ(sum_over_ranks(again), std::vector<int>(count, 1));
        }
}

} // namespace
} // namespace tenfold::testing
