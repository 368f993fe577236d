// Tests plans that work in steps: for overlap, and to stay within a rank's memory.
#include <tenfold/dist_plan.hpp>

#include <optional>

#include <gtest/gtest.h>
#include <tenfold/error.hpp>

#include "distributed/least_memory.hpp"
#include "distributed/made_up_machine.hpp"
#include "distributed/plan/plan_state.hpp"
#include "distributed/plan/slice.hpp"
#include "support/random.hpp"

namespace tenfold {
namespace {

dist_plan plan_in_steps(const char *expression, const std::vector<extents_t> &extents, int ranks,
                        const dist_options &options) {
    return make_dist_plan(parse(expression), data_type::f64, extents, ranks,
                          testing::on_wide(options));
}

std::vector<extents_t> matrices(index_t m, index_t n, index_t k) {
    return {{m, k}, {k, n}, {m, n}};
}

index_t least_named(const std::vector<extents_t> &extents, int ranks, const dist_options &options) {
    return testing::least_named_by([&] { plan_in_steps("mn=mk*kn", extents, ranks, options); });
}

TEST(Steps, AreNotWorthwhileWhereMostOfTheOperandsLieHere) {
    const index_t n = 72;
    const dist_plan plan = plan_in_steps(
        "abc=adec*ebd", {extents_t{n, n, n, n}, extents_t{n, n, n}, extents_t{n, n, n}}, 2,
        {.grid = processor_grid{.m = 2}});
    EXPECT_EQ(plan.summary().steps, step_counts{});
}

TEST(Steps, CutKFirstAndReceiveNoMore) {
    dist_options options{.grid = processor_grid{.m = 2, .n = 2}};
    const auto spec = parse("mn=mk*kn");
    const dist_plan free = plan_in_steps("mn=mk*kn", matrices(1024, 1024, 4096), 4, options);
    EXPECT_EQ(free.summary().steps, (step_counts{.k = 8})); // for overlap
    const std::vector<distribution> in_place{free.layout_of(0), free.layout_of(1),
                                             free.layout_of(2)};
    const dist_plan_summary before =
        make_dist_plan(spec, data_type::f64, in_place, testing::on_wide(options)).summary();
    // Some of this memory is for local contractions.
    options.memory_per_rank = bytes(before.peak.value - before.workspace.value);
    const dist_plan plan =
        make_dist_plan(spec, data_type::f64, in_place, testing::on_wide(options));
    const dist_plan_summary &s = plan.summary();
    EXPECT_LE(s.peak, *options.memory_per_rank);
    EXPECT_EQ(s.bytes_received, free.summary().bytes_received);
    EXPECT_GT(s.steps.k, before.steps.k);
    EXPECT_EQ(s.steps.m * s.steps.n * s.steps.batch, 1);
    EXPECT_NE(plan.describe().find("x " + std::to_string(s.steps.k) + ", panels"),
              std::string::npos)
        << plan.describe();
}

TEST(Steps, CutMWhereKAloneDoesNotDo) {
    // Every rank gathers all of A, 64 MiB, of which one column is 8 MiB; B and D are in place.
    const index_t m = 1 << 20;
    const std::vector<distribution> operands{
        {{m, 8}, {4, 1}, 4}, {{8, 8}, {1, 4}, 4}, {{m, 8}, {1, 4}, 4}};
    dist_options options{.grid = processor_grid{.n = 4}};
    const auto spec = parse("mn=mk*kn");
    const dist_plan free =
        make_dist_plan(spec, data_type::f64, operands, testing::on_wide(options));
    ASSERT_EQ(free.summary().redistribution, bytes(0));
    options.memory_per_rank = mib(40);
    const dist_plan plan =
        make_dist_plan(spec, data_type::f64, operands, testing::on_wide(options));
    EXPECT_GT(plan.summary().steps.m, 1);
    EXPECT_LE(plan.summary().peak, mib(40));
    EXPECT_EQ(plan.summary().bytes_received, free.summary().bytes_received); // none of B
}

TEST(Steps, CutBatchesForNothing) {
    dist_options options{.grid = processor_grid{.n = 4}};
    const auto spec = parse("lmn=lmk*lkn");
    dist_plan free =
        plan_in_steps("lmn=lmk*lkn", {{64, 256, 64}, {64, 64, 256}, {64, 256, 256}}, 4, options);
    const std::vector<distribution> operands{free.layout_of(0), free.layout_of(1),
                                             free.layout_of(2)};
    free = make_dist_plan(spec, data_type::f64, operands, testing::on_wide(options));
    EXPECT_EQ(free.summary().steps, (step_counts{.batch = 8})); // k is short
    options.memory_per_rank = bytes(free.summary().peak.value - free.summary().workspace.value);
    const dist_plan plan =
        make_dist_plan(spec, data_type::f64, operands, testing::on_wide(options));
    EXPECT_GT(plan.summary().steps.batch, 8);
    EXPECT_EQ(plan.summary().steps.m * plan.summary().steps.n, 1);
    EXPECT_EQ(plan.summary().bytes_received, free.summary().bytes_received);
}

TEST(Steps, TheLeastThatIsNamedDoes) {
    // A 32nd is reserved. It is whole where the rest is a multiple of 31.
    for (const auto &extents : {matrices(61, 53, 47), matrices(31, 62, 31)})
        for (const int ranks : {1, 2, 3, 4, 6, 8, 12}) {
            SCOPED_TRACE(ranks);
            dist_options options{.memory_per_rank = bytes(100)};
            const index_t least = least_named(extents, ranks, options);
            ASSERT_GT(least, 100);
            options.memory_per_rank = bytes(least);
            EXPECT_EQ(least_named(extents, ranks, options), 0);
            EXPECT_LE(plan_in_steps("mn=mk*kn", extents, ranks, options).summary().peak,
                      bytes(least));
            options.memory_per_rank = bytes(least - 1);
            EXPECT_EQ(least_named(extents, ranks, options), least);
        }
}

/// The least that is named is that of the most frugal grid, though few grids are looked at closely.
TEST(Steps, TheLeastThatIsNamedIsTheMostFrugalGridsLeast) {
    const contraction_spec spec = parse("abcdef=agceb*agfd");
    const std::vector<extents_t> extents{
        {38, 25, 21, 39, 16}, {38, 25, 4, 9}, {38, 16, 21, 9, 39, 4}};
    const int ranks = 24;
    const auto least_with = [&](dist_options options) {
        options.memory_per_rank = bytes(1);
        try {
            make_dist_plan(spec, data_type::f32, extents, ranks, testing::on_wide(options));
        } catch (const error &thrown) {
            return thrown.details().least->value;
        }
        return index_t{0};
    };
    index_t least = INT64_MAX;
    for (int batch = 1; batch <= ranks; ++batch)
        for (int m = 1; batch * m <= ranks; ++m)
            for (int n = 1; batch * m * n <= ranks; ++n)
                for (int k = 1; batch * m * n * k <= ranks; ++k)
                    if (24 % (batch * m * n * k) == 0)
                        least =
                            std::min(least, least_with({.grid = processor_grid{batch, m, n, k}}));
    EXPECT_GT(least, 1);
    EXPECT_LE(least_with({}), least);
}

TEST(Steps, AreForcedOrRefused) {
    dist_options options{.grid = processor_grid{.m = 2, .n = 2},
                         .step = step_size{.m = 16, .n = 11, .k = 10}};
    const dist_plan plan = plan_in_steps("mn=mk*kn", matrices(64, 64, 64), 4, options);
    EXPECT_EQ(plan.summary().steps,
              (step_counts{.m = 2, .n = 3, .k = 8})); // as teams of two take in turns
    // Each of A's blocks of 32 x 64 is received for each of three steps along n, half of it from
    // the neighbour; B's blocks for each of two steps along m.
    EXPECT_EQ(plan.summary().bytes_received, bytes(8 * (3 * 16 * 64 + 2 * 64 * 16)));
    EXPECT_NE(plan.hash(),
              plan_in_steps("mn=mk*kn", matrices(64, 64, 64), 4, {.grid = options.grid}).hash());
    options.step->k = 0;
    EXPECT_THROW(plan_in_steps("mn=mk*kn", matrices(64, 64, 64), 4, options), error);
}

/// Over all steps, the parts of a panel cover it once. All members of a team that need a part of a
/// piece at the same time need the same part.
TEST(Steps, PartsCoverPanels) {
    using namespace dist_impl;
    for (const int test_case : testing::cases(100)) {
        SCOPED_TRACE(testing::rerun_line(test_case));
        testing::random_source random(test_case);
        const auto extent = [&] { return random.integer(1, 5); };
        const index_t l = extent(), m = extent(), n = extent(), k = extent(), j = extent();
        const int ranks = static_cast<int>(random.integer(1, 12));
        dist_options options;
        options.step = step_size{random.integer(1, 4), random.integer(1, 9), random.integer(1, 9),
                                 random.integer(1, 20)};
        const dist_plan plan =
            plan_in_steps("lmn=jklm*nkjl", {{j, k, l, m}, {n, k, j, l}, {l, m, n}}, ranks, options);
        const layouts &where = internals::of(plan).where;
        const auto &[batches, ms, ns, ks] = where.step_counts();
        for (int rank = 0; rank < where.grid().size(); ++rank) {
            double work = 0;
            for (index_t i = 0; i < batches * ms * ns * ks; ++i) {
                const step_index step{i % batches, i / batches % ms, i / batches / ms % ns,
                                      i / batches / ms / ns};
                const slice a = where.panel_of(A, rank, step);
                const slice d = where.panel_of(D, rank, step);
                work += static_cast<double>(a.size() * d.extents[2]); // n
                for (const tensor_id operand : all_but_c) {
                    const slice part = where.panel_of(operand, rank, step);
                    EXPECT_EQ(intersect(part, where.panel_of(operand, rank)), part);
                    const slice piece = where.piece_of(operand, rank);
                    std::optional<slice> wanted;
                    for (const int member : where.team_of(operand, rank)) {
                        const slice of_member =
                            intersect(piece, where.panel_of(operand, member, step));
                        if (!of_member.empty()) {
                            EXPECT_EQ(wanted.value_or(of_member), of_member);
                            wanted = of_member;
                        }
                        if (operand == D) {
                            EXPECT_EQ(where.panel_of(operand, member, step), part);
                        }
                    }
                    const extents_t most = where.largest_step(operand, rank);
                    for (std::size_t mode = 0; mode < most.size(); ++mode)
                        EXPECT_LE(part.extents[mode], most[mode]);
                }
            }
            EXPECT_EQ(work, where.multiply_adds(rank));
        }
    }
}

/// Pieces that are cut along k are first used where they are, and then in turns; a tree of sums
/// keeps its order.
TEST(Steps, AreTakenInTurns) {
    using namespace dist_impl;
    const extents_t cube(4, 64);
    for (const bool reproducible : {false, true}) {
        const dist_plan plan =
            plan_in_steps("abcd=aebf*dfce", {cube, cube, cube}, 2, {.reproducible = reproducible});
        const layouts &where = internals::of(plan).where;
        ASSERT_EQ(where.grid().n, 2);
        const index_t steps = where.step_counts()[3];
        ASSERT_EQ(steps, reproducible ? 2 : 4);
        for (const int rank : {0, 1}) {
            const slice piece = where.piece_of(A, rank);
            for (index_t step = 0; step < steps; ++step) {
                const slice part = where.panel_of(A, rank, {0, 0, 0, step});
                EXPECT_EQ(intersect(piece, part) == part, reproducible ? step == rank : step < 2);
                EXPECT_EQ(where.panel_of(B, rank, {0, 0, 0, step}).offsets[1],
                          part.offsets[3]); // f
            }
        }
    }
}

} // namespace
} // namespace tenfold
