#include <chrono>
#include <cstring>
#include <limits>
#include <thread>

#include "mpi/random_contraction.hpp"

namespace tenfold::testing {
namespace {

template <class T> class DistContract : public ::testing::Test {};
using element_types = list_of_arithmetic_types<::testing::Types>;
TYPED_TEST_SUITE(DistContract, element_types);

TYPED_TEST(DistContract, EqualsPlainLoops) {
    for (const int test_case : cases_per_rank(800)) {
        SCOPED_TRACE(rerun_line(test_case));
        run_case<TypeParam>(test_case, contraction_kind::any);
    }
}

TEST(DistContractLarger, LadderOfCoupledClusterOnTheDefaultDistribution) {
    const index_t o = 4;
    const index_t v = 7;
    dist_tensor<double> integrals(ranks(), {v, v, v, v});
    dist_tensor<double> amplitudes(ranks(), {v, v, o, o});
    dist_tensor<double> result(ranks(), {v, v, o, o});
    integrals.fill(
        [](const extents_t &offsets, tensor_view<double> block) { fill_block(offsets, block, 1); });
    fill_values(amplitudes, 2);
    fill_values(result, 3);
    contract("abij+=0.5*abef*efij", integrals, amplitudes, result);

    tensor<double> expected = make_values<double>({v, v, o, o}, 3);
    const tensor<double> w = make_values<double>({v, v, v, v}, 1);
    const tensor<double> t = make_values<double>({v, v, o, o}, 2);
    for (index_t a = 0; a < v; ++a)
        for (index_t b = 0; b < v; ++b)
            for (index_t i = 0; i < o; ++i)
                for (index_t j = 0; j < o; ++j)
                    for (index_t e = 0; e < v; ++e)
                        for (index_t f = 0; f < v; ++f)
                            expected(a, b, i, j) += 0.5 * w(a, b, e, f) * t(e, f, i, j);
    EXPECT_TRUE(equal(result.gather_all(), expected));
}

TEST(DistContractLarger, NeedsNoRedistributionInThePlansOwnLayouts) {
    const int size = ranks().size();
    const std::vector<extents_t> extents{{12, 10}, {10, 14}, {12, 14}};
    const auto spec = parse("mn=mk*kn");
    dist_plan plan = make_dist_plan(spec, data_type::f64, extents, size);
    for (int round = 0; round < 2; ++round) { // the second uses the first plan's layouts
        const std::vector<distribution> layouts{plan.layout_of(0), plan.layout_of(1),
                                                plan.layout_of(2)};
        plan = make_dist_plan(
            spec, data_type::f64, layouts,
            {.grid = plan.summary().grid, .ranks_per_node = ranks().ranks_per_node()});
    }
    dist_tensor<double> a(ranks(), extents[0], plan.layout_of(0));
    dist_tensor<double> b(ranks(), extents[1], plan.layout_of(1));
    dist_tensor<double> d(ranks(), extents[2], plan.layout_of(2));
    fill_values(a, 1);
    fill_values(b, 2);
    fill_values(d, 3);
    const dist_report report =
        contract("mn=mk*kn", a, b, d, {.beta = 2.0, .grid = plan.summary().grid});
    EXPECT_EQ(report.redistribution_max, bytes(0));
    EXPECT_EQ(report.bytes_received_max, plan.summary().bytes_received);

    tensor<double> expected = make_values<double>(extents[2], 3);
    const tensor<double> x = make_values<double>(extents[0], 1);
    const tensor<double> y = make_values<double>(extents[1], 2);
    for (index_t n = 0; n < 14; ++n)
        for (index_t m = 0; m < 12; ++m) {
            expected(m, n) *= 2;
            for (index_t k = 0; k < 10; ++k)
                expected(m, n) += x(m, k) * y(k, n);
        }
    EXPECT_TRUE(equal(d.gather_all(), expected));
}

TEST(DistContractLarger, RepeatsItselfBitForBit) {
    // Data whose sums are rounded, so that only a fixed order gives the same bits.
    const extents_t extents{9, 8};
    dist_tensor<float> a(ranks(), {9, 40});
    dist_tensor<float> b(ranks(), {40, 8});
    const auto thirds = [](const extents_t &offsets, tensor_view<float> block) {
        float value = static_cast<float>(offsets[0] + 3 * offsets[1]) / 3.0F;
        for (index_t i = 0; i < block.size(); ++i)
            block.data()[i] = (value = value * 1.37F - static_cast<float>(i) / 7.0F,
                               value = value > 100 ? 0.1F : value);
    };
    a.fill(thirds);
    b.fill(thirds);
    const int size = ranks().size();
    for (const dist_options &options :
         {dist_options{.grid = processor_grid{.k = size}},
          dist_options{.grid = processor_grid{.k = size}, .step = step_size{.n = 3, .k = 2}},
          dist_options{.grid = processor_grid{.n = size}, .step = step_size{.m = 4, .k = 7}}}) {
        dist_tensor<float> first(ranks(), extents);
        contract("mn=mk*kn", a, b, first, options);
        for (int repeat = 0; repeat < 5; ++repeat) {
            dist_tensor<float> again(ranks(), extents);
            if (repeat == ranks().rank()) // messages arrive in another order
                std::this_thread::sleep_for(std::chrono::milliseconds(3));
            contract("mn=mk*kn", a, b, again, options);
            EXPECT_EQ(
                std::memcmp(first.data(), again.data(),
                            static_cast<std::size_t>(first.local_slice().size()) * sizeof(float)),
                0);
        }
    }
}

TEST(DistContractLarger, KeepsPlansApartThatDifferInOneArgument) {
    dist_tensor<double> a(ranks(), {6, 5});
    dist_tensor<double> b(ranks(), {5, 6});
    dist_tensor<double> d(ranks(), {6, 6});
    fill_values(a, 1);
    fill_values(b, 2);
    const double betas[] = {0, 1, 1 + 1e-12, 0, 1};
    for (const double beta : betas) {
        d.fill(1.0);
        contract("mn=mk*kn", a, b, d, {.alpha = 0.0, .beta = beta});
        const tensor<double> got = d.gather_all();
        EXPECT_EQ(got(0, 0), beta);
        EXPECT_EQ(got(5, 5), beta);
    }
}

TEST(DistContractLarger, TravelsInShortMessages) {
    const byte_count before = set_message_limit(bytes(64));
    for (const int test_case : cases_per_rank(100)) {
        SCOPED_TRACE(rerun_line(test_case));
        run_case<double>(test_case, contraction_kind::any);
    }
    set_message_limit(before);
}

/// Whole numbers, so that sums are exact in any order of steps and ranks.
void expect_product(const dist_tensor<double> &d, index_t m, index_t n, index_t k) {
    const tensor<double> a = make_values<double>({m, k}, 1);
    const tensor<double> b = make_values<double>({k, n}, 2);
    tensor<double> expected({m, n});
    // With pointers, because these loops are most of the work of this program.
    for (index_t j = 0; j < n; ++j)
        for (index_t l = 0; l < k; ++l)
            for (index_t i = 0; i < m; ++i)
                expected.data()[i + j * m] += a.data()[i + l * m] * b.data()[l + j * k];
    EXPECT_TRUE(equal(d.gather_all(), expected));
}

TEST(DistContractLarger, KeepsToAMemoryLimitAsThePlanSays) {
    const index_t m = 120, n = 100, k = 300;
    const int size = ranks().size();
    dist_tensor<double> a(ranks(), {m, k});
    dist_tensor<double> b(ranks(), {k, n});
    dist_tensor<double> d(ranks(), {m, n});
    fill_values(a, 1);
    fill_values(b, 2);
    const std::vector<distribution> spreads{a.distribution(), b.distribution(), d.distribution()};
    const auto spec = parse("mn=mk*kn");
    const dist_plan_summary without = make_dist_plan(spec, data_type::f64, spreads).summary();
    const index_t free = without.peak.value - without.workspace.value;
    index_t most_steps = 1;
    for (const int percent : {140, 100, 90, 80, 70, 60}) {
        const byte_count limit = bytes(free * percent / 100);
        d.fill(std::numeric_limits<double>::quiet_NaN());
        std::optional<dist_report> report;
        const failure refused =
            failure_of([&] { report = contract("mn=mk*kn", a, b, d, {.memory_per_rank = limit}); });
        if (refused.code != errc::ok) {
            EXPECT_EQ(refused.code, errc::workspace_too_small) << refused.message;
            continue;
        }
        const dist_plan_summary &s = report->plan.summary();
        SCOPED_TRACE(report->plan.describe());
        EXPECT_LE(s.peak, limit);
        EXPECT_LE(report->peak_bytes_max.value, limit.value + 16 * 64);
        EXPECT_NEAR(static_cast<double>(report->peak_bytes_max.value),
                    static_cast<double>(s.peak.value), 0.05 * static_cast<double>(s.peak.value));
        EXPECT_EQ(report->bytes_received_max, s.bytes_received);
        expect_product(d, m, n, k);
        most_steps = std::max(most_steps, s.steps.m * s.steps.n * s.steps.k);
    }
    if (size == 2 || size == 4) {
        EXPECT_GT(most_steps, 1);
    }
}

/// Sizes at which it pays to cut messages and products.
TEST(DistContractLarger, OverlapsStepsOfLargerProducts) {
    const int size = ranks().size();
    const index_t m = 100, n = 80, k = 2048;
    dist_tensor<double> a(ranks(), {m, k});
    dist_tensor<double> b(ranks(), {k, n});
    fill_values(a, 1);
    fill_values(b, 2);
    std::vector<processor_grid> grids{{.m = size}, {.n = size}, {.k = size}};
    if (size % 2 == 0) {
        grids.push_back({.m = 2, .n = size / 2});
        grids.push_back({.m = 2, .k = size / 2});
    }
    for (const processor_grid &grid : grids) {
        dist_tensor<double> d(ranks(), {m, n});
        const dist_report report = contract("mn=mk*kn", a, b, d, {.grid = grid});
        SCOPED_TRACE(report.plan.describe());
        EXPECT_EQ(report.bytes_received_max, report.plan.summary().bytes_received);
        if (size > 1 && grid.k == 1) {
            EXPECT_GT(report.plan.summary().steps.k, 1);
        }
        expect_product(d, m, n, k);
    }
}

TEST(DistContractLarger, StaysWithinTheMemoryThatThePlanStates) {
    dist_tensor<double> a(ranks(), {40, 30});
    dist_tensor<double> b(ranks(), {30, 50});
    dist_tensor<double> d(ranks(), {40, 50});
    const dist_report report = contract("mn=mk*kn", a, b, d, {.algorithm = algorithm::reference});
    // Buffers are aligned to 64 bytes each, and there are at most a dozen.
    EXPECT_LE(report.peak_bytes_max.value, report.plan.summary().peak.value + 12 * 64);
}

/// Long products are computed in pieces while messages are under way: along m or n, else along k.
TEST(DistPieces, EachPieceIsAddedOnce) {
    struct shape {
        const char *expression;
        std::vector<extents_t> extents;
        step_size step;
    };
    const shape shapes[] = {
        {"ab=ac*cb", {{2100, 24}, {24, 9}, {2100, 9}}, {.k = 6}},
        {"ab=ac*cb", {{9, 24}, {24, 2100}, {9, 2100}}, {.k = 6}},
        {"abc=bad*cd", {{65, 40, 24}, {5, 24}, {40, 65, 5}}, {.k = 6}},
        {"ab=acd*dcb", {{9, 50, 50}, {50, 50, 7}, {9, 7}}, {.k = 1250}},
    };
    const int size = ranks().size();
    for (const auto &[expression, extents, step] : shapes)
        for (const double beta : {0.0, 2.0})
            for (const processor_grid grid :
                 {processor_grid{1, size, 1, 1}, processor_grid{1, 1, size, 1},
                  processor_grid{1, size / 2 + 1, 1, 1}}) {
                SCOPED_TRACE(std::string(expression) + " " + text_of(grid));
                dist_tensor<double> a(ranks(), extents[0]);
                dist_tensor<double> b(ranks(), extents[1]);
                dist_tensor<double> d(ranks(), extents[2]);
                fill_values(a, 1);
                fill_values(b, 2);
                fill_values(d, 3);
                dist_options options;
                options.beta = beta;
                options.grid = grid;
                options.step = step;
                contract(expression, a, b, d, options);

                const auto whole_a = make_values<double>(extents[0], 1);
                const auto whole_b = make_values<double>(extents[1], 2);
                auto whole_d = make_values<double>(extents[2], 3);
                contract(expression, whole_a.view(), whole_b.view(), whole_d.view(),
                         {.beta = beta, .algorithm = algorithm::reference});
                EXPECT_TRUE(equal(d.gather_all(), whole_d));
            }
}

/// Buffers are kept between calls, and freed if others are needed.
TEST(DistPieces, BuffersMayBeUsedAgain) {
    dist_tensor<double> a(ranks(), {40, 60});
    dist_tensor<double> b(ranks(), {60, 50});
    dist_tensor<double> d(ranks(), {40, 50});
    fill_values(a, 1);
    fill_values(b, 2);
    contract("ab=ac*cb", a, b, d);
    const tensor<double> first = d.gather_all();
    byte_count peak{};
    for (int repeat = 0; repeat < 3; ++repeat) {
        d.fill(0);
        const dist_report report = contract("ab=ac*cb", a, b, d);
        EXPECT_TRUE(repeat == 0 || report.peak_bytes_max.value == peak.value);
        peak = report.peak_bytes_max;
        EXPECT_LE(static_cast<double>(peak.value),
                  1.05 * static_cast<double>(report.plan.summary().peak.value));
        const tensor<double> again = d.gather_all();
        EXPECT_TRUE(equal(again, first));
        contract("ab=ac*cb", a, b, d, {.beta = 1.0});
    }
}

} // namespace
} // namespace tenfold::testing
