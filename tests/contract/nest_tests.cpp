// Tests what loops over products are predicted to take.
#include <gtest/gtest.h>

#include <tenfold/tenfold.hpp>

#include "support/described_machines.hpp"

namespace tenfold::testing {
namespace {

/// A has 360 KiB and B at most 864, which L2 holds, but 2 MB of D are written between two uses of
/// A.
TEST(Nest, InputsThatOutputsEvictAreReadFromFurtherAway) {
    base::described_machine machine = wide_machine(); // with 1 MiB of L2
    machine.machine.l3.size = 0;
    machine.rates.read_bandwidth = 5e9;
    const auto ctx = machine.make_context({});
    const auto seconds = [&](index_t c) {
        const layout a({4, 64, 3, 60}), b({24, c, 3, 64, 4}), d({24, 3, 64, 60, c});
        return make_plan("befac=dfea*bcefd", input(data_type::f64, nullptr, a),
                         input(data_type::f64, nullptr, b), output(data_type::f64, nullptr, d),
                         {.algorithm = algorithm::gemm_loop, .threads = 1, .ctx = ctx.get()})
            .summary()
            .seconds;
    };
    EXPECT_GT(seconds(6), 1.1 * 6 * seconds(1));
}

} // namespace
} // namespace tenfold::testing
