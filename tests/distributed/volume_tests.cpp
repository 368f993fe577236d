// Tests how much plans move, by the planner's own numbers, which users are promised. Tests in
// tests/mpi check that executions receive exactly these numbers.
#include <tenfold/dist_plan.hpp>

#include <gtest/gtest.h>

namespace tenfold {
namespace {

dist_plan_summary summary_of(const char *expression, const std::vector<extents_t> &extents,
                             int ranks) {
    return make_dist_plan(parse(expression), data_type::f64, extents, ranks).summary();
}

TEST(Volume, OfCubesIsWithinATenthOfTheBound) {
    const index_t n = 32768;
    for (const int ranks : {8, 16, 64, 1000, 1024})
        EXPECT_LE(summary_of("mn=mk*kn", {{n, n}, {n, n}, {n, n}}, ranks).ratio_to_bound, 1.10)
            << ranks << " ranks";
}

TEST(Volume, OfTheParticleParticleLadderIsWithinATenthOfTheBound) {
    for (const auto &[o, v] : {std::pair<index_t, index_t>{20, 200}, {50, 500}})
        for (const int ranks : {16, 64, 1024})
            EXPECT_LE(
                summary_of("abij=abef*efij", {{v, v, v, v}, {v, v, o, o}, {v, v, o, o}}, ranks)
                    .ratio_to_bound,
                1.10)
                << ranks << " ranks, o = " << o;
}

/// Operands are in the default distribution; 1 MB is 10^6 bytes.
TEST(Volume, OfAFourIndexProductWithAndWithoutRedistribution) {
    const extents_t cube{32, 32, 32, 32};
    struct limits {
        int ranks;
        double received, total; ///< MB
    };
    for (const auto &[ranks, received, total] : {limits{2, 4.195, 8.39}, limits{4, 4.195, 8.91},
                                                 limits{8, 3.146, 3.93}, limits{16, 2.622, 4.2}}) {
        const dist_plan_summary s = summary_of("abcd=aebf*dfce", {cube, cube, cube}, ranks);
        const auto megabytes = [](byte_count size) {
            return 1e-6 * static_cast<double>(size.value);
        };
        EXPECT_LE(megabytes(s.bytes_received), received) << ranks << " ranks";
        EXPECT_LE(megabytes(s.bytes_received) + megabytes(s.redistribution), total)
            << ranks << " ranks";
    }
}

} // namespace
} // namespace tenfold
