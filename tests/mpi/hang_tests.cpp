// The tests that hang_is_told runs, one at a time.
#include <cmath>

#include <unistd.h>

#include <tenfold/context.hpp>

#include "distributed/comm/communicator.hpp"
#include "mpi/ranks.hpp"

namespace tenfold::testing {
namespace {

TEST(Hang, IsWatchedForByDefault) { EXPECT_EQ(context::global().settings().watchdog_seconds, 60); }

/// Behaves as a rank that computes for ever. Of three ranks only the one that waits for it has a
/// watchdog; the others may be late and are asked.
TEST(Hang, RankNeverReturnsFromACallback) {
    dist_tensor<double> a(ranks(), {8});
    if (ranks().rank() == 2)
        internals::of(ranks()).set_watchdog(5);
    a.fill([](const extents_t &, tensor_view<double>) {
        while (ranks().rank() == 1)
            pause();
    });
}

/// Without a watchdog. The others report that they wait, and go on when the rank comes.
TEST(Hang, RankIsLate) {
    dist_tensor<double> a(ranks(), {8});
    dist_impl::communicator &comm = internals::of(ranks());
    comm.set_watchdog(0);
    comm.report_after(0.2);
    if (ranks().rank() == 1)
        sleep(3);
    a.fill(1.0);
    EXPECT_EQ(a.norm(), std::sqrt(8.0));
}

/// A contraction reports to its own context's log.
TEST(Hang, RankIsLateForAContraction) {
    std::string told;
    settings chosen = settings::from_environment();
    chosen.log_level = 1;
    chosen.log = [&](int, std::string_view message) { told += message; };
    const context own(chosen);
    dist_tensor<double> a(ranks(), {8}), d(ranks(), {8});
    dist_impl::communicator &comm = internals::of(ranks());
    comm.set_watchdog(0);
    comm.report_after(0.2);
    if (ranks().rank() == 1)
        sleep(3);
    contract("m=m", a, d, {.ctx = &own});
    if (ranks().rank() == 2) {
        EXPECT_EQ(told.rfind("rank 2: contract, collective call ", 0), 0U) << told;
    }
    const std::string before = told;
    if (ranks().rank() == 1)
        sleep(1);
    EXPECT_EQ(d.norm(), 0);
    EXPECT_EQ(told, before) << "the global context takes no warnings";
}

} // namespace
} // namespace tenfold::testing
