// Tests what loops over products are predicted to take.
#include <gtest/gtest.h>

#include <tenfold/tenfold.hpp>

#include "support/described_machines.hpp"

namespace tenfold::testing {
namespace {

double seconds_of_loop(std::string_view expression, const layout &a, const layout &b,
                       const layout &d) {
    return make_plan(
               expression, input(data_type::f64, nullptr, a), input(data_type::f64, nullptr, b),
               output(data_type::f64, nullptr, d),
               {.algorithm = algorithm::gemm_loop, .threads = 1, .ctx = &described_context("wide")})
        .summary()
        .seconds;
}

/// A has 360 KiB, which L2 holds, but 2 MB of D are written between two uses of it.
TEST(Nest, InputsThatOutputsEvictAreReadFromFurtherAway) {
    const auto seconds = [](index_t c) {
        return seconds_of_loop("befac=dfea*bcefd", layout({4, 64, 3, 60}),
                               layout({24, c, 3, 64, 4}), layout({24, 3, 64, 60, c}));
    };
    EXPECT_GT(seconds(8), 1.1 * 8 * seconds(1));
}

} // namespace
} // namespace tenfold::testing
