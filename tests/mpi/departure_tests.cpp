// Worlds whose ranks watch over each other: ranks that are late and ranks that leave.
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include <unistd.h>

#include <tenfold/context.hpp>

#include "distributed/comm/communicator.hpp"
#include "mpi/ranks.hpp"

namespace tenfold::testing {
namespace {

std::size_t open_descriptors() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto &one : std::filesystem::directory_iterator("/proc/self/fd"))
        ++count;
    return count;
}

/// Of former worlds none are closed after that.
std::size_t settled_descriptors() {
    for (std::size_t count = open_descriptors();;) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        if (count == open_descriptors())
            return count;
        count = open_descriptors();
    }
}

/// Waits until it holds. Returns false if that takes too long.
template <class Condition> bool soon(const Condition &holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!holds()) {
        if (std::chrono::steady_clock::now() > end)
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

/// A contraction waits for a rank that sleeps, reports where it is, and then completes.
TEST(Departure, RankThatSleepsIsReportedNotGivenUp) {
    if (ranks().size() == 1)
        return;
    std::string told;
    settings chosen = settings::from_environment();
    chosen.log_level = 1;
    chosen.log = [&](int, std::string_view message) { told += message; };
    const context own(chosen);
    const world here(MPI_COMM_WORLD);
    dist_tensor<double> a(here, {8}), d(here, {8});
    a.fill(1.0);
    dist_impl::communicator &comm = internals::of(here);
    comm.set_watchdog(0);
    comm.report_after(0.2);
    const int late = here.size() - 1; // on another host than rank 0, if there are two
    if (here.rank() == late)
        std::this_thread::sleep_for(std::chrono::milliseconds(800));
    contract("m=m", a, d, {.ctx = &own});
    if (here.rank() == 0) {
        EXPECT_NE(told.find("rank 0: contract, collective call 5: no progress"), std::string::npos)
            << told;
        EXPECT_NE(told.find("rank " + std::to_string(late) +
                            " is outside the library after fill, collective call 4"),
                  std::string::npos)
            << told;
    }
    comm.report_after(30);
    EXPECT_EQ(d.norm(), std::sqrt(8.0));
}

/// A world takes its settings from the context with which it is made.
TEST(Departure, WorldOfAContextWithoutPresenceHasNoConnections) {
    settings chosen = settings::from_environment();
    chosen.presence_seconds = 0;
    chosen.threads = 3;
    const std::size_t before = settled_descriptors();
    const world without(MPI_COMM_WORLD, context(chosen));
    EXPECT_LE(open_descriptors(), before); // former worlds may be closed meanwhile
    EXPECT_EQ(without.threads(), 3);
    chosen.presence_seconds = ranks().rank() == 0 ? 0 : 1; // one rank suffices
    const world neither(MPI_COMM_WORLD, context(chosen));
    EXPECT_LE(open_descriptors(), before);
    if (ranks().size() == 1)
        return;
    chosen.presence_seconds = 1;
    const std::size_t fewest = settled_descriptors();
    std::optional<world> with(std::in_place, MPI_COMM_WORLD, context(chosen));
    EXPECT_TRUE(soon([&] { return open_descriptors() > fewest; })); // a thread connects
    MPI_Barrier(MPI_COMM_WORLD); // a rank that left would not be connected with
    with.reset();
    EXPECT_TRUE(soon([&] { return open_descriptors() <= fewest; }));
}

/// Every call of the others ends, and names the rank.
TEST(Departure, RankThatFreesItsWorldEndsWaits) {
    if (ranks().size() == 1)
        return;
    for (int which = 0; which < 3; ++which) {
        std::optional<world> here(MPI_COMM_WORLD);
        std::optional<dist_tensor<double>> a, b;
        a.emplace(*here, extents_t{6, 6});
        b.emplace(*here, extents_t{6, 6});
        if (here->rank() == 1) {
            a.reset();
            b.reset();
            here.reset();
            continue;
        }
        const failure found = failure_of([&] {
            if (which == 0)
                a->norm();
            else if (which == 1)
                contract("mn=nm", *a, *b);
            else
                static_cast<void>(
                    a->redistribute(distribution({6, 6}, {here->size(), 1}, here->size())));
        });
        EXPECT_EQ(found.code, errc::communication);
        EXPECT_NE(found.message.find("rank 1 has left, and this call needs it: it freed the world "
                                     "after collective call 3"),
                  std::string::npos)
            << found.message;
        EXPECT_EQ(failure_of([&] { a->norm(); }).code, errc::communication) << "again";
    }
}

TEST(Departure, WorldsLeaveNoDescriptors) {
    MPI_Barrier(MPI_COMM_WORLD);
    const std::size_t before = open_descriptors();
    for (int i = 0; i < 20; ++i) {
        const world one(MPI_COMM_WORLD);
        const world other(MPI_COMM_WORLD);
    }
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (open_descriptors() > before && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_LE(open_descriptors(), before);
    MPI_Barrier(MPI_COMM_WORLD);
}

} // namespace
} // namespace tenfold::testing
