// Compares the memory of ranks, as the library and the system count it, with what plans state.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include <tenfold/dist_operations.hpp>

#include "mpi/ranks.hpp"

namespace tenfold::testing {
namespace {

/// Returns "VmHWM:" or "VmRSS:" of this process; empty if the system does not report it.
std::optional<double> status_bytes(const std::string &field) {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (word == field) {
            double kilobytes = 0;
            status >> kilobytes;
            return kilobytes * 1024;
        }
    return std::nullopt;
}

double ratio(byte_count one, byte_count other) {
    return static_cast<double>(one.value) / static_cast<double>(other.value);
}

/// From 400 KB on, the memory of redistributions, steps and local contractions, with and without a
/// limit.
TEST(DistMemory, IsWhatThePlanStates) {
    const index_t n = 24;
    const extents_t extents(4, n);
    for (const char *expression : {"abcd=aebf*dfce", "abcd=ebaf*dfec", "abcd=dabc"})
        for (const bool reproducible : {false, true})
            for (const int percent : {0, 1000, 130, 90}) {
                const bool unary = std::string(expression).find('*') == std::string::npos;
                SCOPED_TRACE(std::string(expression) + " " + std::to_string(percent));
                dist_tensor<double> a(ranks(), extents);
                dist_tensor<double> b(ranks(), unary ? extents_t{} : extents);
                dist_tensor<double> d(ranks(), extents);
                a.fill(1);
                b.fill(2);
                dist_options options;
                options.reproducible = reproducible;
                const auto run = [&] {
                    return unary ? contract(expression, a, d, options)
                                 : contract(expression, a, b, d, options);
                };
                if (percent > 0)
                    options.memory_per_rank =
                        bytes(run().plan.summary().peak.value * percent / 100);
                std::optional<dist_report> report;
                if (const failure refused = failure_of([&] { report = run(); });
                    refused.code == errc::workspace_too_small && percent == 90)
                    continue;
                ASSERT_TRUE(report);
                SCOPED_TRACE(report->plan.describe());
                const dist_plan_summary &s = report->plan.summary();
                EXPECT_NEAR(ratio(report->peak_bytes_max, s.peak), 1, 0.01);
                EXPECT_LE(report->workspace_max.value, s.workspace.value + 64);
                EXPECT_GE(report->workspace_max, s.workspace);
            }
}

/// Tensors whose messages take more than panels, or less, with sums in panels and elsewhere.
TEST(DistMemory, IsWhatThePlanStatesOfLongMessages) {
    const index_t n = 1500, k = 24;
    const int size = ranks().size();
    dist_tensor<double> a(ranks(), {n, k});
    dist_tensor<double> b(ranks(), {k, n});
    dist_tensor<double> d(ranks(), {n, n}, distribution({n, n}, {1, size}, size));
    a.fill(1);
    b.fill(2);
    dist_tensor<double> r(ranks(), {n, k});
    const auto expect_planned = [&](const dist_report &report) {
        EXPECT_NEAR(ratio(report.peak_bytes_max, report.plan.summary().peak), 1, 0.01)
            << report.plan.describe();
    };
    for (const processor_grid grid : {processor_grid{.m = size}, processor_grid{.k = size}}) {
        d.fill(5);
        expect_planned(contract("mn=mk*kn", a, b, d, {.beta = 2.0, .grid = grid}));
        EXPECT_EQ(maximum(d).value, 2.0 * k + 10);
        EXPECT_EQ(minimum(d).value, 2.0 * k + 10);
        expect_planned(contract("mk=mn*nk", d, a, r, {.grid = grid}));
        EXPECT_EQ(maximum(r).value, (2.0 * k + 10) * n);
        EXPECT_EQ(minimum(r).value, (2.0 * k + 10) * n);
    }
}

/// Where operands lie as the plan wants them, a rank holds nothing but them and workspace.
TEST(DistMemory, HasNoCopyOfWhatLiesInPlace) {
    const int size = ranks().size();
    const extents_t extents_a{64 * size, 300}, extents_b{300, 24}, extents_d{64 * size, 24};
    const auto rows = [&](const extents_t &extents) {
        return distribution(extents, {size, 1}, size);
    };
    dist_tensor<double> a(ranks(), extents_a, rows(extents_a));
    dist_tensor<double> b(ranks(), extents_b, distribution::replicated(extents_b, size, size));
    dist_tensor<double> d(ranks(), extents_d, rows(extents_d));
    a.fill(1);
    b.fill(2);
    for (const double beta : {0.0, 2.0}) {
        d.fill(3);
        const dist_report report =
            contract("mn=mk*kn", a, b, d, {.beta = beta, .grid = processor_grid{.m = size}});
        index_t held = 0;
        for (const dist_tensor<double> *one : {&a, &b, &d})
            held += one->local_slice().size() * static_cast<index_t>(sizeof(double));
        SCOPED_TRACE(report.plan.describe());
        EXPECT_EQ(report.redistribution_max.value, 0);
        EXPECT_LE(report.peak_bytes_max.value, held + report.workspace_max.value + 64);
        EXPECT_EQ(maximum(d).value, 600 + 3 * beta);
        EXPECT_EQ(minimum(d).value, 600 + 3 * beta);
    }
}

TEST(DistMemory, IsNotTouchedWhereElementsAreUninitialized) {
    if (!status_bytes("VmRSS:"))
        GTEST_SKIP() << "the system does not tell";
    const index_t elements = index_t{8} << 20; // 64 MiB on each rank: fresh pages of the system's
    const auto touched_by = [&](const auto &...how) {
        const double before = *status_bytes("VmRSS:");
        const dist_tensor<double> made(ranks(), {elements * ranks().size()}, how...);
        return *status_bytes("VmRSS:") - before;
    };
    EXPECT_LT(touched_by(uninitialized), 16e6);
    EXPECT_GT(touched_by(), 48e6);
}

/// Above 1 GiB, where the program's own pages hardly matter.
TEST(DistMemory, IsWhatTheSystemCounts) {
    if (std::getenv("TENFOLD_TEST_LARGE") == nullptr)
        GTEST_SKIP() << "takes 1.3 GB of memory per rank; TENFOLD_TEST_LARGE=1 runs it";
    if (!(std::ofstream("/proc/self/clear_refs") << 5 << std::flush) || !status_bytes("VmHWM:"))
        GTEST_SKIP() << "the system does not tell";
    const double before = *status_bytes("VmRSS:");
    const int size = ranks().size();
    const auto n = static_cast<index_t>(8500 * std::sqrt(size));
    const index_t k = 64;
    dist_tensor<double> a(ranks(), {n, k});
    dist_tensor<double> b(ranks(), {k, n});
    dist_tensor<double> d(ranks(), {n, n}, distribution({n, n}, {1, size}, size));
    a.fill(1);
    b.fill(2);
    d.fill(3);
    dist_options options;
    options.grid = processor_grid{.m = size}; // so that D's pieces change their sizes
    const dist_report report = contract("mn=mk*kn", a, b, d, options);
    SCOPED_TRACE(report.plan.describe());
    ASSERT_GE(report.peak_bytes_max, gib(1));
    EXPECT_NEAR(ratio(report.peak_bytes_max, report.plan.summary().peak), 1, 0.05);
    EXPECT_NEAR((*status_bytes("VmHWM:") - before) /
                    static_cast<double>(report.peak_bytes_max.value),
                1, 0.05);
}

} // namespace
} // namespace tenfold::testing
