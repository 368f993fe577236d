// Tests the planner's decisions and descriptions.
#include <algorithm>

#include <gtest/gtest.h>

#include "arrays.hpp"
#include "base/context_of.hpp"
#include "base/machine.hpp"
#include "simd/variant.hpp"
#include "transpose/plan/modes.hpp"
#include "transpose/plan/plan_state.hpp"

namespace tenfold {
namespace {

using namespace transpose_impl;

reduced_problem reduced(const std::vector<int> &permutation, const layout &a, const layout &b) {
    check(permutation, a, b);
    return reduce(permutation, a, b);
}

schedule scheduled(const std::vector<int> &permutation, const layout &a, const layout &b,
                   const schedule_options &choices = {}, int threads = 1) {
    const reduced_problem problem = reduced(permutation, a, b);
    const kernel_choice kernels = choose_kernels(context::global().isa(), choose_method(problem),
                                                 data_type::f32, data_type::f32);
    return make_schedule(problem, {data_type::f32, data_type::f32, false, threads},
                         base::machine_of(context::global()), kernels.shape, choices);
}

TEST(Modes, AdjacentModesFuse) {
    const reduced_problem problem =
        reduced({2, 3, 0, 1}, layout({4, 5, 6, 7}), layout({6, 7, 4, 5}));
    ASSERT_EQ(problem.modes.size(), 2U);
    EXPECT_EQ(problem.modes[0].extent, 42);
    EXPECT_EQ(problem.modes[0].members, (std::vector<int>{0, 1}));
    EXPECT_EQ(problem.modes[1].extent, 20);
}

TEST(Modes, IdentityIsOneMode) {
    const reduced_problem problem =
        reduced({0, 1, 2}, layout({4, 1, 6}), layout({4, 1, 6}, {1, 99, 4}));
    ASSERT_EQ(problem.modes.size(), 1U);
    EXPECT_TRUE(problem.same_places);
}

TEST(Modes, PaddingKeepsModesApart) {
    const reduced_problem problem = reduced({0, 1}, layout::within({4, 6}, {5, 6}), layout({4, 6}));
    EXPECT_EQ(problem.modes.size(), 2U);
}

TEST(Modes, ReversedInBothIsForward) {
    const layout backwards({4, 6}, {-1, -4});
    const reduced_problem problem = reduced({0, 1}, backwards, backwards);
    ASSERT_EQ(problem.modes.size(), 1U);
    EXPECT_EQ(problem.modes[0].stride_a, 1);
    EXPECT_EQ(problem.offset_a, -23);
    EXPECT_EQ(problem.offset_b, -23);
}

TEST(Schedule, MethodFollowsStrideOneModes) {
    EXPECT_EQ(scheduled({1, 0}, layout({40, 50}), layout({50, 40})).how, method::tiles);
    EXPECT_EQ(scheduled({0, 2, 1}, layout({8, 9, 7}), layout({8, 7, 9})).how, method::rows);
    EXPECT_EQ(scheduled({1, 0}, layout({8, 9}, {2, 16}), layout({9, 8})).how, method::elements);
    EXPECT_EQ(scheduled({1, 0}, layout({8, 9}, {-1, 8}), layout({9, 8})).how, method::tiles);
}

TEST(Schedule, SmallProblemsUseOneThread) {
    EXPECT_EQ(scheduled({1, 0}, layout({40, 50}), layout({50, 40}), {}, 8).threads, 1);
    EXPECT_EQ(scheduled({1, 0}, layout({4000, 5000}), layout({5000, 4000}), {}, 8).threads, 8);
}

TEST(Schedule, LargeOutputsAreStreamed) {
    const index_t n = 1 << 14;
    EXPECT_TRUE(
        scheduled({1, 0}, layout({n, n}), layout({n, n}), {.stream_threshold = n * n * 4}).stream);
    EXPECT_FALSE(
        scheduled({1, 0}, layout({n, n}), layout({n, n}), {.stream_threshold = n * n * 4 + 1})
            .stream);
    EXPECT_FALSE(scheduled({1, 0}, layout({n, 4}), layout({4, n}), {.stream_threshold = 0}).stream)
        << "runs shorter than a line";
}

TEST(Schedule, RegistersShorterThanLinesGoThroughABuffer) {
    base::machine machine;
    machine.l2 = {index_t{512} << 10, 8, 64, 1};
    machine.l3 = {index_t{32} << 20, 16, 64, 1};
    const auto planned = [&](const extents_t &extents, bool accumulates, int bytes) {
        const std::vector<int> reversed = {2, 1, 0};
        const layout a(extents);
        const layout b({extents[2], extents[1], extents[0]});
        return make_schedule(reduced(reversed, a, b), {data_type::f32, data_type::f32, accumulates},
                             machine, {bytes / 4, true, true}, {});
    };
    const extents_t same_bank = {352, 32, 256};
    EXPECT_EQ(planned(same_bank, false, 32).block, 16);
    EXPECT_EQ(planned(same_bank, false, 64).block, 0);
    EXPECT_EQ(planned(same_bank, true, 32).block, 0) << "prefetched instead";
    EXPECT_EQ(planned({352, 64, 256}, true, 32).block, 16) << "rows in one set of the L2 cache";
    EXPECT_EQ(planned({96, 75, 608}, false, 32).block, 0) << "rows in several banks";
    EXPECT_EQ(planned({8, 8, 1024}, false, 32).block, 0) << "in the cache";

    const extents_t an_eighth = {128, 64, 128};
    EXPECT_TRUE(planned(an_eighth, false, 32).stream);
    EXPECT_FALSE(planned(an_eighth, false, 64).stream);
}

TEST(Schedule, RunsThatFollowEachOtherAreJoinedWhileTheyAreShort) {
    base::machine machine;
    machine.l2 = {index_t{512} << 10, 8, 64, 1};
    const auto planned = [&](index_t run, int register_bytes) {
        return make_schedule(reduced({1, 0}, layout({400000, run}), layout({run, 400000})),
                             {data_type::f32, data_type::f32, false}, machine,
                             {register_bytes / 4, true, true}, {});
    };
    EXPECT_TRUE(planned(63, 64).joins);
    EXPECT_FALSE(planned(65, 64).joins) << "registers that are lines join two at a time";
    EXPECT_TRUE(planned(255, 32).joins);
    EXPECT_FALSE(planned(257, 32).joins);
    // Between one and two lines, by registers that are lines alone.
    EXPECT_TRUE(planned(17, 64).stream);
    EXPECT_FALSE(planned(17, 32).stream);
    EXPECT_FALSE(planned(15, 64).stream) << "shorter than a line";
}

TEST(Schedule, RunsTakeTheModesThatMakeThemWholeLines) {
    // B[r,c,f,d] = A[f,c,r,d]: a run of r ends within a line, one of r and c does not.
    const auto run = [](index_t f, index_t c, index_t r, index_t d, index_t l2_size) {
        base::machine machine;
        machine.l2 = {l2_size, 8, 64, 1};
        machine.l3 = {index_t{32} << 20, 16, 64, 1};
        const schedule made =
            make_schedule(reduced({2, 1, 0, 3}, layout({f, c, r, d}), layout({r, c, f, d})),
                          {data_type::f64, data_type::f64}, machine, {4, true, true}, {});
        EXPECT_TRUE(made.stream);
        EXPECT_EQ(made.lines_of_b, made.run_extent % 8 == 0);
        return made.run_extent;
    };
    constexpr index_t half = index_t{512} << 10;
    EXPECT_EQ(run(66, 4, 220, 400, 2 * half), 220 * 4);
    EXPECT_EQ(run(66, 4, 224, 400, 2 * half), 224) << "whole lines already";
    EXPECT_EQ(run(66, 3, 220, 500, 2 * half), 220) << "c does not complete lines";
    EXPECT_EQ(run(66, 16, 1001, 24, 2 * half), 1001 * 16);
    EXPECT_EQ(run(66, 16, 1001, 24, half), 1001) << "more columns than the L2 cache keeps";
    EXPECT_EQ(run(160, 16, 1001, 10, half), 1001 * 16) << "long enough without c";
    EXPECT_EQ(run(20, 16, 1001, 80, 2 * half), 1001) << "short pieces of A";
    EXPECT_EQ(run(8, 64, 221, 200, 2 * half), 221) << "columns in a few sets of the L2 cache";
    EXPECT_EQ(run(8, 256, 29, 400, 2 * half), 29 * 256) << "few enough columns for these sets";
}

/// A schedule for one processor's caches, which must not change when others are tuned.
struct pinned_schedule {
    std::vector<int> permutation;
    std::vector<index_t> extents; ///< of A
    data_type type;
    bool accumulates;
    index_t row_piece, panel_piece, run_extent, strip, ahead, skew;
    bool stream;
};

TEST(Schedule, StaysOnLargeCachesWithWideRegisters) {
    base::machine machine;
    machine.l1d = {index_t{48} << 10, 12, 64, 1};
    machine.l2 = {index_t{1} << 20, 16, 64, 1};
    machine.l3 = {index_t{32} << 20, 16, 64, 1};
    const pinned_schedule pinned[] = {
        {{1, 0}, {7264, 7264}, data_type::f32, false, 2432, 1, 7264, 16, 6, 0, true},
        {{1, 0}, {7264, 7264}, data_type::f32, true, 2432, 1, 7264, 32, 6, 0, false},
        {{1, 0}, {7264, 7264}, data_type::f64, false, 1816, 1, 7264, 8, 12, 2, true},
        {{1, 0}, {7264, 7264}, data_type::f64, true, 1816, 1, 7264, 16, 12, 2, false},
        {{0, 2, 1}, {368, 384, 384}, data_type::f32, false, 1, 384, 141312, 736, 2, 2, true},
        {{0, 2, 1}, {368, 384, 384}, data_type::f32, true, 1, 384, 141312, 368, 5, 2, false},
        {{0, 2, 1}, {368, 384, 384}, data_type::f64, false, 1, 384, 141312, 368, 2, 2, true},
        {{0, 2, 1}, {368, 384, 384}, data_type::f64, true, 1, 384, 141312, 368, 2, 2, false},
        {{3, 2, 1, 0}, {96, 75, 75, 96}, data_type::f32, false, 96, 25, 7200, 16, 6, 0, true},
        {{3, 2, 1, 0}, {96, 75, 75, 96}, data_type::f32, true, 96, 25, 7200, 32, 6, 0, false},
        {{3, 2, 1, 0}, {96, 75, 75, 96}, data_type::f64, false, 96, 19, 7200, 8, 12, 2, true},
        {{3, 2, 1, 0}, {96, 75, 75, 96}, data_type::f64, true, 96, 19, 7200, 16, 12, 2, false},
        {{4, 3, 2, 1, 0},
         {352, 4, 28, 28, 48},
         data_type::f32,
         false,
         352,
         2,
         1344,
         32,
         4,
         2,
         true},
        {{4, 3, 2, 1, 0},
         {352, 4, 28, 28, 48},
         data_type::f32,
         true,
         176,
         1,
         150528,
         32,
         6,
         2,
         false},
        {{4, 3, 2, 1, 0},
         {352, 4, 28, 28, 48},
         data_type::f64,
         false,
         352,
         2,
         1344,
         16,
         6,
         2,
         true},
        {{4, 3, 2, 1, 0},
         {352, 4, 28, 28, 48},
         data_type::f64,
         true,
         176,
         1,
         150528,
         16,
         12,
         2,
         false},
        {{0, 3, 2, 5, 4, 1},
         {16, 32, 15, 32, 15, 15},
         data_type::f32,
         false,
         1,
         15,
         512,
         256,
         8,
         2,
         true},
        {{0, 3, 2, 5, 4, 1},
         {16, 32, 15, 32, 15, 15},
         data_type::f32,
         true,
         1,
         15,
         512,
         256,
         8,
         2,
         false},
        {{0, 3, 2, 5, 4, 1},
         {16, 32, 15, 32, 15, 15},
         data_type::f64,
         false,
         1,
         15,
         512,
         64,
         16,
         2,
         true},
        {{0, 3, 2, 5, 4, 1},
         {16, 32, 15, 32, 15, 15},
         data_type::f64,
         true,
         1,
         15,
         512,
         64,
         16,
         2,
         false},
        {{2, 1, 0}, {384, 355, 384}, data_type::f32, false, 384, 10, 384, 32, 4, 0, true},
        {{2, 1, 0}, {384, 355, 384}, data_type::f32, true, 384, 10, 384, 32, 6, 0, false},
        {{2, 1, 0}, {384, 355, 384}, data_type::f64, false, 384, 6, 384, 16, 6, 2, true},
        {{2, 1, 0}, {384, 355, 384}, data_type::f64, true, 384, 6, 384, 16, 12, 2, false},
    };
    for (const pinned_schedule &one : pinned) {
        const layout a(one.extents);
        std::vector<index_t> extents;
        for (const int from : one.permutation)
            extents.push_back(one.extents[static_cast<std::size_t>(from)]);
        const kernel_shape avx512{64 / size_of(one.type), true, true};
        const schedule made =
            make_schedule(reduced(one.permutation, a, layout(extents)),
                          {one.type, one.type, one.accumulates}, machine, avx512, {});
        SCOPED_TRACE(std::string(name(one.type)) + (one.accumulates ? ", added, " : ", ") +
                     layout(extents).describe());
        EXPECT_EQ(made.row_piece, one.row_piece);
        EXPECT_EQ(made.panel_piece, one.panel_piece);
        EXPECT_EQ(made.run_extent, one.run_extent);
        EXPECT_EQ(made.strip, one.strip);
        EXPECT_EQ(made.ahead, one.ahead);
        EXPECT_EQ(made.skew, one.skew);
        EXPECT_EQ(made.stream, one.stream);
    }
}

TEST(Schedule, WhatIsAddedIsPrefetchedIntoTheL2Cache) {
    base::machine machine;
    machine.l1d = {index_t{32} << 10, 8, 64, 1};
    machine.l2 = {index_t{1} << 20, 8, 64, 1};
    machine.l3 = {index_t{32} << 20, 16, 64, 1};
    const auto planned = [&](index_t n, bool accumulates, const schedule_options &choices = {}) {
        return make_schedule(reduced({1, 0}, layout({n, n}), layout({n, n})),
                             {data_type::f32, data_type::f32, accumulates}, machine,
                             {16, true, true}, choices);
    };
    const schedule large = planned(1000, true);
    EXPECT_EQ(large.prefetch_level, 2);
    EXPECT_EQ(large.strip * 4, 2 * 64) << "pairs of lines";
    EXPECT_EQ(large.ahead * large.strip * 64, machine.l1d.size / 4) << "of A; as much of B";
    EXPECT_EQ(planned(1100, false).prefetch_level, 1) << "the hardware follows 16 columns";
    EXPECT_EQ(planned(1000, false).prefetch_level, 2) << "but not if pages have several";
    EXPECT_EQ(planned(1152, false).prefetch_level, 2) << "nor if L1 has 64 places for their lines";
    EXPECT_EQ(planned(1024, false).strip, 32);
    EXPECT_EQ(planned(1024, false).prefetch_level, 2);
    const schedule in_one_set = planned(32768, true);
    EXPECT_EQ(in_one_set.block, 8);
    EXPECT_EQ(in_one_set.prefetch_level, 1) << "the L2 cache cannot hold what is prefetched";
    EXPECT_EQ(planned(360, true).prefetch_level, 1) << "fits the L2 cache";
    EXPECT_EQ(planned(360, true, {.part_of = index_t{64} << 20}).prefetch_level, 2)
        << "but is a part of what does not";
    EXPECT_EQ(planned(1000, true, {.prefetch_level = 1}).prefetch_level, 1);
    EXPECT_EQ(planned(1000, false, {.prefetch_level = 2}).prefetch_level, 2);
}

TEST(Schedule, SmallCachesGetNoSkewAndFewerPages) {
    base::machine machine;
    machine.l1d = {index_t{32} << 10, 8, 64, 1};
    machine.l3 = {index_t{32} << 20, 16, 64, 1};
    machine.tlb_pages = 2048;
    const index_t n = 7264;
    const schedule made =
        make_schedule(reduced({1, 0}, layout({n, n}), layout({n, n})),
                      {data_type::f32, data_type::f32}, machine, {8, true, true}, {});
    EXPECT_EQ(made.skew, 0);
    EXPECT_LE(made.row_piece, 1792);
}

TEST(Plan, TrafficNearTheLargestSizesDoesNotWrap) {
    const std::vector<int> permutation = {0};
    const layout most({(index_t{1} << 60) - 1});
    const transpose_plan plan(permutation, data_type::f64, most, data_type::f64, most);
    EXPECT_EQ(plan.traffic(false), bytes(INT64_MAX));
    EXPECT_EQ(plan.traffic(true), bytes(INT64_MAX));
    EXPECT_FALSE(plan.explain().empty());
}

TEST(Plan, ExplainsItself) {
    const std::vector<int> permutation = {2, 1, 0};
    const transpose_plan plan(permutation, data_type::f32, layout({300, 355, 390}), data_type::f32,
                              layout({390, 355, 300}));
    const std::string text = plan.explain();
    for (const char *part : {"method   tiles", "run      mode 0", "panel    mode 2", "loops",
                             "kernel   transpose_f32_", "threads", "traffic", "fetches  ",
                             "where beta is not 0:\n", " into the L2 cache\n"})
        EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
    EXPECT_GT(plan.predicted_seconds(), 0);
    EXPECT_EQ(plan.traffic(false), bytes(2 * 4 * 300 * 355 * 390));
    EXPECT_EQ(plan.traffic(true), bytes(3 * 4 * 300 * 355 * 390));
}

TEST(Plan, KernelsFollowTheContext) {
    const std::vector<int> permutation = {1, 0};
    for (const auto &ctx : testing::contexts()) {
        const transpose_plan plan(permutation, data_type::f32, layout({64, 64}), data_type::f32,
                                  layout({64, 64}), false, {.ctx = ctx.get()});
        const std::string text = plan.explain();
        const std::size_t kernel = text.find("kernel   transpose_f32_");
        ASSERT_NE(kernel, std::string::npos) << text;
        const std::string line = text.substr(kernel, text.find('\n', kernel) - kernel);
        const auto serving = std::ranges::find_if(simd::variants(), [&](const simd::variant &one) {
            return one.feature == nullptr && simd::serves(one, ctx->isa()) &&
                   simd::finds_what_it_needs(one, nullptr);
        });
        ASSERT_NE(serving, simd::variants().end());
        EXPECT_TRUE(line.ends_with("_" + std::string(serving->name))) << text;
    }
    EXPECT_GE(kernel_names().size(), 7U);
}

} // namespace
} // namespace tenfold
