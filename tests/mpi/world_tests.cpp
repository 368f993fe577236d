#include "mpi/files.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <thread>
#include <utility>

#include "distributed/comm/communicator.hpp"

namespace tenfold::testing {
namespace {

TEST(World, KnowsItsRanks) {
    int rank = -1;
    int size = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    EXPECT_EQ(ranks().rank(), rank);
    EXPECT_EQ(ranks().size(), size);
    int relation = MPI_UNEQUAL;
    MPI_Comm_compare(ranks().comm(), MPI_COMM_WORLD, &relation);
    EXPECT_EQ(relation, MPI_CONGRUENT) << "the communicator is a duplicate";
}

TEST(World, TakesThreadsFromTheEnvironment) {
    // The tests' environment sets TENFOLD_NUM_THREADS=1.
    if (const char *text = std::getenv("TENFOLD_NUM_THREADS")) {
        EXPECT_EQ(ranks().threads(), std::atoi(text));
    }
    EXPECT_GE(ranks().threads(), 1);
}

TEST(World, LivesOnASubsetOfRanks) {
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, ranks().rank() % 2, ranks().rank(), &half);
    {
        world part(half);
        dist_tensor<double> a(part, {5, 3});
        fill_values(a, 1);
        EXPECT_TRUE(equal(a.gather_all(), make_values<double>({5, 3}, 1)));
    }
    MPI_Comm_free(&half);
}

TEST(World, NeedsAnInitialisedCommunicator) {
    EXPECT_EQ(failure_of([] { world nowhere(MPI_COMM_NULL); }).code, errc::invalid_argument);
}

TEST(World, NeedsACommunicatorOfOneGroup) {
    if (ranks().size() == 1)
        return;
    const int side = ranks().rank() % 2;
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm both = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, side, ranks().rank(), &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 0, &both);
    EXPECT_EQ(failure_of([&] { world two_groups(both); }).code, errc::invalid_argument);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

TEST(World, HasNoRanksAfterAMove) {
    world moved = ranks();
    const world here = std::move(moved);
    EXPECT_EQ(moved.size(), 0);
    EXPECT_EQ(moved.rank(), -1);
    EXPECT_EQ(failure_of([&] { dist_tensor<double>(moved, {3}); }).code, errc::invalid_argument);
    EXPECT_EQ(failure_of([&] { agree(moved); }).code, errc::invalid_argument);
    moved = here;
    EXPECT_EQ(moved.size(), ranks().size());
}

TEST(World, RefusesTensorsThatWereMovedFrom) {
    dist_tensor<double> moved(ranks(), {3});
    dist_tensor<double> other(ranks(), {3});
    const dist_tensor<double> kept = std::move(moved);
    const std::vector<std::function<void()>> calls{
        [&] { moved.fill(1.0); },
        [&] { moved.fill([](const extents_t &, tensor_view<double>) {}); },
        [&] { moved.norm(); },
        [&] { moved.read({0}, {3}); },
        [&] { moved.write({0}, tensor<double>({3})); },
        [&] { moved.gather(0); },
        [&] { moved.gather_all(); },
        [&] { moved.scatter(tensor<double>({3}), 0); },
        [&] { moved.redistribute(kept.distribution()); },
        [&] { dot(moved, other); },
        [&] { contract("m=m", moved, other); },
        [&] { contract("m=m", other, moved); }};
    for (const auto &call : calls)
        EXPECT_EQ(failure_of(call).code, errc::invalid_argument);
    EXPECT_EQ(kept.norm(), 0);
}

TEST(World, IsUsedByOneThreadAtATime) {
    dist_tensor<double> a(ranks(), {3 * ranks().size()});
    failure found;
    a.fill([&](const extents_t &, tensor_view<double> block) {
        std::thread([&] { found = failure_of([&] { a.norm(); }); }).join();
        std::fill_n(block.data(), block.shape().size(), 1.0);
    });
    EXPECT_EQ(found.code, errc::invalid_argument);
    EXPECT_NE(found.message.find("two threads"), std::string::npos) << found.message;
    EXPECT_EQ(a.norm(), std::sqrt(3.0 * ranks().size()));
}

/// Records the message of the fatal handler instead of ending the program.
class Fatal : public ::testing::Test {
protected:
    Fatal() {
        former_ = set_fatal_handler([this](int rank, std::string_view message) {
            told_ = std::to_string(rank) + ": " + std::string(message);
        });
    }
    ~Fatal() override { set_fatal_handler(former_); }

    /// Expects "BEGIN0.43 seconds, REST..", with at least the watchdog's patience.
    void expect_told(const std::string &begin, const std::string &rest) const {
        ASSERT_EQ(told_.substr(0, begin.size()), begin);
        EXPECT_GE(std::atof(told_.c_str() + begin.size()), patience) << told_;
        EXPECT_NE(told_.find(" seconds, " + rest), std::string::npos) << told_;
    }

    static constexpr double patience = 0.4; ///< seconds
    std::string told_;

private:
    fatal_handler former_;
};

TEST_F(Fatal, HandlerIsToldAndTheCallThrows) {
    const world doomed(MPI_COMM_WORLD);
    const failure found = failure_of([&] { internals::of(doomed).fail("the network is gone"); });
    EXPECT_EQ(found.code, errc::communication);
    EXPECT_EQ(told_, std::to_string(ranks().rank()) + ": the network is gone");
}

TEST_F(Fatal, WatchdogNamesTheCallThatARankSkipped) {
    if (ranks().size() == 1)
        return;
    on_first_ranks(2, [&](const world &watched) {
        dist_tensor<double> a(watched, {4});
        internals::of(watched).set_watchdog(patience);
        if (watched.rank() == 1) {
            EXPECT_EQ(failure_of([&] { a.fill(1.0); }).code, errc::communication);
            expect_told("1: fill, collective call 3: no progress for ",
                        "waiting for rank 0, which has not made this call; of data 0 sends and 0 "
                        "receives were begun, 0 are pending; of control ");
        }
        MPI_Barrier(watched.comm());
        if (watched.rank() == 0) { // so that no message is left over
            internals::of(watched).set_watchdog(0);
            a.fill(1.0);
        }
        MPI_Barrier(watched.comm()); // rank 0 needs the others until then
    });
}

TEST_F(Fatal, WatchdogNamesThePeerOfAMessage) {
    if (ranks().size() == 1)
        return;
    const world watched(MPI_COMM_WORLD);
    internals::of(watched).begin_call("test");
    internals::of(watched).enter_phase("halfway");
    internals::of(watched).enter_step(3, 7);
    internals::of(watched).set_watchdog(patience);
    if (ranks().rank() == 1) {
        char byte = 0;
        std::vector<MPI_Request> requests;
        internals::of(watched).start_receive(&byte, 1, 0, requests);
        EXPECT_EQ(failure_of([&] {
                      internals::of(watched).wait_any(requests, [](std::size_t) { return 0; });
                  }).code,
                  errc::communication);
        expect_told("1: test, collective call 2, halfway, step 3 of 7: no progress for ",
                    "waiting for rank 0; of data 0 sends and 1 receives were begun, 1 are pending; "
                    "of control ");
        EXPECT_TRUE(dist_impl::communicator::are_through(requests)) << "it was not taken back";
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

TEST(Control, ReachesEveryRankWhateverTheWatchdogIs) {
    for (const double seconds : {0.0, 100.0}) {
        const world own(MPI_COMM_WORLD);
        dist_impl::communicator &comm = internals::of(own);
        comm.set_watchdog(seconds);
        const auto rank = static_cast<std::uint64_t>(own.rank());
        const auto size = static_cast<std::uint64_t>(own.size());
        for (int root = 0; root < own.size(); ++root) {
            const std::array<std::uint64_t, 2> mine{rank ^ static_cast<std::uint64_t>(root), ~rank};
            std::array<std::uint64_t, 2> most{};
            comm.maximum(mine, most);
            std::uint64_t expected = 0;
            for (std::uint64_t other = 0; other < size; ++other)
                expected = std::max(expected, other ^ static_cast<std::uint64_t>(root));
            EXPECT_EQ(most[0], expected);
            EXPECT_EQ(~most[1], 0U);

            std::array<std::uint64_t, 3> words{rank, 7, 9};
            comm.broadcast(words.data(), sizeof words, root);
            EXPECT_EQ(words[0], static_cast<std::uint64_t>(root));
            EXPECT_EQ(words[2], 9U);
        }
        const std::array<std::uint64_t, 2> mine{rank, 3 * rank + 1};
        std::vector<std::uint64_t> all(2 * size);
        comm.all_gather(mine.data(), sizeof mine, all.data());
        for (std::uint64_t other = 0; other < size; ++other) {
            EXPECT_EQ(all[2 * other], other);
            EXPECT_EQ(all[2 * other + 1], 3 * other + 1);
        }
    }
}

} // namespace
} // namespace tenfold::testing
