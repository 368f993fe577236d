#include "mpi/ranks.hpp"

#include <chrono>
#include <cstdlib>
#include <thread>

#include "dist/communicator.hpp"

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
    // The tests' environment says TENFOLD_NUM_THREADS=1.
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

/// Keeps what the fatal handler is told instead of ending the program.
class Fatal : public ::testing::Test {
protected:
    Fatal() {
        former_ = set_fatal_handler([this](int rank, std::string_view message) {
            told_ = std::to_string(rank) + ": " + std::string(message);
        });
    }
    ~Fatal() override { set_fatal_handler(former_); }

    std::string told_;

private:
    fatal_handler former_;
};

TEST_F(Fatal, HandlerIsToldAndTheCallThrows) {
    const world doomed(MPI_COMM_WORLD);
    const failure found = failure_of([&] { doomed.internals().fail("the network is gone"); });
    EXPECT_EQ(found.code, errc::communication);
    EXPECT_EQ(told_, std::to_string(ranks().rank()) + ": the network is gone");
}

TEST_F(Fatal, WatchdogNamesTheCallThatARankSkipped) {
    if (ranks().size() == 1)
        return;
    const world watched(MPI_COMM_WORLD);
    dist_tensor<double> a(watched, {4});
    watched.internals().set_watchdog(0.2);
    const bool late = ranks().rank() == ranks().size() - 1;
    if (late) { // in the end it comes, so that MPI can finish
        std::this_thread::sleep_for(std::chrono::milliseconds(1500));
        a.fill(1.0);
        EXPECT_EQ(told_, "");
    } else {
        EXPECT_EQ(failure_of([&] { a.fill(1.0); }).code, errc::communication);
        EXPECT_NE(told_.find("fill, collective call 3: no progress"), std::string::npos) << told_;
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

} // namespace
} // namespace tenfold::testing
