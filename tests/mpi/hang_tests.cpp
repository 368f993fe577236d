// The tests that hang_is_told runs, one at a time.
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
        internals::of(ranks()).set_watchdog(1);
    a.fill([](const extents_t &, tensor_view<double>) {
        while (ranks().rank() == 1)
            pause();
    });
}

} // namespace
} // namespace tenfold::testing
