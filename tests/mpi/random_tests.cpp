// Many random contractions in one program, and larger ones for which memory is counted.
#include "mpi/random_contraction.hpp"

namespace tenfold::testing {
namespace {

TEST(DistRandom, EqualsPlainLoops) {
    constexpr contraction_kind kinds[] = {contraction_kind::any, contraction_kind::any,
                                          contraction_kind::batch_only, contraction_kind::to_scalar,
                                          contraction_kind::outer};
    for (const int test_case : random_cases(100)) {
        SCOPED_TRACE(rerun_line(test_case));
        const contraction_kind kind = kinds[test_case % 5];
        switch (test_case / 5 % 4) {
        case 0:
            run_case<float>(test_case, kind);
            break;
        case 1:
            run_case<double>(test_case, kind);
            break;
        case 2:
            run_case<c32>(test_case, kind);
            break;
        default:
            run_case<c64>(test_case, kind);
        }
        if (::testing::Test::HasFailure())
            return;
    }
}

/// Tensors of 10^4 to 10^6 elements, for which alignment does not matter.
TEST(DistRandom, PeakIsWithinFivePercentOfThePlan) {
    const int size = ranks().size();
    for (const int test_case : cases(size > 4 ? 6 : 12)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        // m, n and k have two labels each; half of the cases have a batch label.
        const index_t batch = random.chance(0.5) ? 1 : random.integer(2, 6);
        const auto extent = [&] { return random.integer(6, batch == 1 ? 24 : 14); };
        const index_t m1 = extent(), m2 = extent(), n1 = extent(), n2 = extent();
        const index_t k1 = extent(), k2 = extent();
        const std::vector<extents_t> extents{
            {m1, k1, batch, m2, k2}, {k2, n1, k1, n2, batch}, {n2, m1, m2, batch, n1}};
        const char *expression = "D[q,a,b,z,p]=A[a,k,z,b,l]*B[l,p,k,q,z]";
        std::vector<distribution> spreads;
        for (const extents_t &one : extents)
            spreads.push_back(random.chance(0.5) ? distribution::block(one, size)
                                                 : random_distribution(random, one, size));
        dist_options options;
        options.reproducible = random.chance(0.3);
        dist_tensor<double> a(ranks(), extents[0], spreads[0]);
        dist_tensor<double> b(ranks(), extents[1], spreads[1]);
        dist_tensor<double> d(ranks(), extents[2], spreads[2]);
        const index_t free = make_dist_plan(parse(expression), data_type::f64, spreads, options)
                                 .summary()
                                 .peak.value;
        for (const int percent : {0, 130, 85}) {
            options.memory_per_rank.reset();
            if (percent > 0)
                options.memory_per_rank = bytes(free * percent / 100);
            std::optional<dist_report> report;
            const failure refused =
                failure_of([&] { report = contract(expression, a, b, d, options); });
            if (refused.code == errc::workspace_too_small && percent > 0)
                continue;
            ASSERT_EQ(refused.code, errc::ok) << refused.message;
            const dist_plan_summary &s = report->plan.summary();
            SCOPED_TRACE(report->plan.describe());
            EXPECT_EQ(report->bytes_received_max, s.bytes_received);
            EXPECT_EQ(report->redistribution_max, s.redistribution);
            const double planned = static_cast<double>(s.peak.value);
            const double used = static_cast<double>(report->peak_bytes_max.value);
            EXPECT_GE(used, 0.95 * planned);
            EXPECT_LE(used, 1.05 * planned);
            if (percent > 0) {
                EXPECT_LE(used, static_cast<double>(options.memory_per_rank->value) + 16 * 64);
            }
        }
    }
}

} // namespace
} // namespace tenfold::testing
