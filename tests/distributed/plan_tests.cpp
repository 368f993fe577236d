#include <tenfold/dist_layouts.hpp>

#include <cmath>

#include <gtest/gtest.h>
#include <tenfold/error.hpp>

#include "distributed/made_up_machine.hpp"
#include "distributed/plan/bounds.hpp"
#include "distributed/plan/plan_state.hpp"
#include "support/message_of.hpp"
#include "support/random.hpp"

namespace tenfold {
namespace {

dist_plan plan_for(const char *expression, const std::vector<extents_t> &extents, int ranks,
                   const dist_options &options = {}) {
    return make_dist_plan(parse(expression), data_type::f64, extents, ranks,
                          testing::on_wide(options));
}

/// For operands that lie as is best for this contraction alone.
dist_plan plan_in_place(const char *expression, const std::vector<extents_t> &extents, int ranks) {
    contraction_spec named = parse(expression);
    named.operand_names = {"A", "B", "D"};
    const planned_layouts layouts =
        plan_layouts({named.to_string()}, {{"A", extents[0]}, {"B", extents[1]}, {"D", extents[2]}},
                     data_type::f64, ranks, testing::on_wide());
    const std::vector<distribution> operands{layouts.of.at("A"), layouts.of.at("B"),
                                             layouts.of.at("D")};
    dist_plan plan =
        make_dist_plan(parse(expression), data_type::f64, operands, testing::on_wide());
    EXPECT_EQ(plan.summary().redistribution, bytes(0)) << plan.describe();
    return plan;
}

std::vector<extents_t> cube(index_t n) { return {{n, n}, {n, n}, {n, n}}; }

TEST(DistPlan, CubesOnCubesMeetTheBound) {
    const dist_plan plan = plan_in_place("mn=mk*kn", cube(1024), 8);
    const dist_plan_summary &s = plan.summary();
    EXPECT_EQ(s.grid, (processor_grid{1, 2, 2, 2}));
    // A rank needs three blocks of 512 x 512 and receives half of each.
    EXPECT_EQ(s.bytes_received.value, 3 * (512 * 512 / 2) * 8);
    EXPECT_EQ(s.bound, s.bytes_received);
    EXPECT_DOUBLE_EQ(s.ratio_to_bound, 1.0);
    EXPECT_FALSE(s.bound_is_memory_dependent);
    EXPECT_EQ(s.flops, 2.0 * 1024 * 1024 * 1024);
    EXPECT_EQ(s.flops_per_rank, s.flops / 8);
}

TEST(DistPlan, StaysCloseToTheBoundWherePFactorsWell) {
    // The bound assumes cubic blocks, so that a cube on 2 ranks cannot be below 1.28, and on 4 not
    // below 1.13.
    for (const int ranks : {1, 8, 16, 32, 64, 128, 256, 512, 1024})
        EXPECT_LE(plan_in_place("mn=mk*kn", cube(32768), ranks).summary().ratio_to_bound, 1.10)
            << ranks;
    for (const int ranks : {4, 16, 64, 256})
        EXPECT_LE(plan_for("abij=abef*efij", {{64, 64, 64, 64}, {64, 64, 16, 16}, {64, 64, 16, 16}},
                           ranks)
                      .summary()
                      .ratio_to_bound,
                  1.10)
            << ranks;
}

TEST(DistPlan, UsesOperandsWhereTheyLieIfThatCostsNothing) {
    // The default distribution of a square on 4 ranks is 2 x 2, and so are the pieces.
    EXPECT_EQ(plan_for("mn=mk*kn", cube(1024), 4).summary().redistribution, bytes(0));
    // A plan for the layouts that another plan prefers prefers the same layouts, if labels of one
    // group are not cut equally well in several ways: these are chosen group by group.
    for (const int ranks : {2, 3, 4, 6, 8, 12, 16, 24}) {
        const dist_plan first =
            plan_for("abij=abef*efij", {{8, 5, 9, 6}, {9, 6, 7, 4}, {8, 5, 7, 4}}, ranks);
        const std::vector<distribution> layouts{first.layout_of(0), first.layout_of(1),
                                                first.layout_of(2)};
        const dist_plan second =
            make_dist_plan(parse("abij=abef*efij"), data_type::f64, layouts, testing::on_wide());
        EXPECT_EQ(second.summary().redistribution, bytes(0)) << first.describe();
        EXPECT_EQ(second.summary().bytes_received, first.summary().bytes_received);
    }
}

TEST(DistPlan, BatchesAreFree) {
    const dist_plan plan = plan_for("lmn=lmk*lkn", {{16, 64, 64}, {16, 64, 64}, {16, 64, 64}}, 8);
    EXPECT_EQ(plan.summary().grid, (processor_grid{8, 1, 1, 1}));
    EXPECT_EQ(plan.summary().bytes_received, bytes(0));
    EXPECT_EQ(plan.summary().bound, bytes(0));
    EXPECT_EQ(plan.summary().ratio_to_bound, 1.0);
}

TEST(DistPlan, IsAPureFunctionForAnyNumberOfRanks) {
    const std::vector<std::pair<const char *, std::vector<extents_t>>> contractions{
        {"abij=abef*efij", {{20, 20, 20, 20}, {20, 20, 6, 6}, {20, 20, 6, 6}}},
        {"abcd=aebf*dfce", {{12, 9, 10, 11}, {7, 11, 13, 9}, {12, 10, 13, 7}}},
        {"lab=lak*lkb", {{5, 30, 40}, {5, 40, 20}, {5, 30, 20}}},
        {"=ab*ab", {{100, 50}, {100, 50}, {}}},
        {"ab=a*b", {{300}, {200}, {300, 200}}},
        {"ab=axk*kby", {{9, 4, 8}, {8, 7, 3}, {9, 7}}},
        {"a=aabb", {{9, 9, 8, 8}, {9}}},
    };
    for (const auto &[expression, extents] : contractions)
        for (const int ranks : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 31, 64, 100, 255, 720, 1024}) {
            SCOPED_TRACE(std::string(expression) + " on " + std::to_string(ranks));
            const dist_plan one = plan_for(expression, extents, ranks);
            const dist_plan other = plan_for(expression, extents, ranks);
            EXPECT_EQ(one.hash(), other.hash());
            EXPECT_EQ(one.describe(), other.describe());
            EXPECT_LE(one.summary().grid.size(), ranks);
            EXPECT_GE(one.summary().grid.size(), 1);
            const int operands = static_cast<int>(extents.size());
            for (int which = 0; which < operands; ++which)
                EXPECT_EQ(one.layout_of(which).ranks(), ranks);
        }
}

TEST(DistPlan, HashTellsPlansApart) {
    const dist_plan plan = plan_for("mn=mk*kn", cube(64), 8);
    EXPECT_NE(plan.hash(), plan_for("mn=mk*kn", cube(65), 8).hash());
    EXPECT_NE(plan.hash(), plan_for("mn=mk*kn", cube(64), 9).hash());
    EXPECT_NE(plan.hash(), plan_for("mn=mk*nk", cube(64), 8).hash());
    EXPECT_NE(plan.hash(), plan_for("mn=mk*kn", cube(64), 8, {.threads = 2}).hash());
    EXPECT_NE(plan.hash(), plan_for("mn=mk*kn", cube(64), 8, {.alpha = 0.0}).hash());
    EXPECT_EQ(plan.hash(), plan_for("mn=mk*kn", cube(64), 8, {.alpha = 2.0}).hash());
    EXPECT_EQ(plan.hash(), plan_for("mn=mk*kn", cube(64), 8, {.beta = 2.0}).hash());
    EXPECT_NE(plan.hash(), plan_for("mn=mk*kn", cube(64), 8, {.conj_a = true}).hash());
    EXPECT_NE(
        plan.hash(),
        make_dist_plan(parse("mn=mk*kn"), data_type::f32, cube(64), 8, testing::on_wide()).hash());
}

/// Returns the plan for operands on rank 0 and a machine that is as wide_machine() but for what
/// `change` changes.
template <class Change> dist_plan plan_on(const std::vector<extents_t> &extents, int ranks,
                                          const Change &change, dist_options options = {}) {
    base::described_machine machine = testing::wide_machine();
    change(machine.rates);
    settings one_thread;
    one_thread.threads = 1;
    const auto ctx = machine.make_context(one_thread);
    options.ctx = ctx.get();
    std::vector<distribution> operands;
    for (const extents_t &one : extents)
        operands.push_back(distribution::on_rank(one, ranks, 0));
    return make_dist_plan(parse("mn=mk*kn"), data_type::f64, operands, options);
}

TEST(DistPlan, RatesDecideOnTheGrid) {
    const auto as_it_is = [](base::machine_rates &) {};
    const auto slow_links = [](base::machine_rates &rates) {
        rates.message_bandwidth = rates.message_bandwidth_one = 1e8;
    };
    const auto slow_messages = [](base::machine_rates &rates) { rates.message = 0.1; };
    const auto slow_cores = [](base::machine_rates &rates) { rates.fma_flops_f64 /= 1000; };
    const auto grid = [](const dist_plan &plan) { return plan.summary().grid; };
    const dist_plan usual = plan_on(cube(1024), 8, as_it_is);
    EXPECT_EQ(grid(usual), (processor_grid{1, 2, 2, 2}));
    EXPECT_EQ(grid(plan_on(cube(1024), 8, slow_links)), processor_grid{});
    EXPECT_EQ(grid(plan_on(cube(1024), 8, slow_messages)), processor_grid{});
    const auto both = [&](base::machine_rates &rates) {
        slow_messages(rates);
        slow_cores(rates);
    };
    EXPECT_GT(grid(plan_on(cube(1024), 8, both)).size(), 1);
    for (const dist_plan &other :
         {plan_on(cube(1024), 8, slow_links), plan_on(cube(1024), 8, slow_cores)})
        EXPECT_NE(other.hash(), usual.hash());
}

TEST(DistPlan, ReproduciblePlansFollowNoMeasuredRates) {
    const auto slow_links = [](base::machine_rates &rates) { rates.message_bandwidth = 1e8; };
    const dist_options options{.reproducible = true};
    EXPECT_EQ(plan_on(
                  cube(128), 8, [](base::machine_rates &) {}, options)
                  .hash(),
              plan_on(cube(128), 8, slow_links, options).hash());
}

/// Pieces partition the operands, and each is within its rank's panel; panels cover the work.
TEST(DistPlan, PiecesPartitionAndLieInPanels) {
    using namespace dist_impl;
    for (const int test_case : testing::cases(200)) {
        SCOPED_TRACE(testing::rerun_line(test_case));
        testing::random_source random(test_case);
        const auto extent = [&] { return random.integer(1, 9); };
        const index_t l = extent(), m = extent(), n = extent(), k = extent(), j = extent();
        const int ranks = static_cast<int>(random.integer(1, 24));
        dist_options options;
        if (random.chance(0.5)) {
            processor_grid grid;
            int left = ranks;
            for (int *parts : {&grid.batch, &grid.m, &grid.n, &grid.k}) {
                *parts = static_cast<int>(random.integer(1, left));
                left /= *parts;
            }
            options.grid = grid;
        }
        const dist_plan plan =
            plan_for("lmn=jklm*nkjl", {{j, k, l, m}, {n, k, j, l}, {l, m, n}}, ranks, options);
        const layouts &where = internals::of(plan).where;
        double work = 0;
        for (int rank = 0; rank < ranks; ++rank) {
            work += where.multiply_adds(rank);
            for (const tensor_id operand : all_but_c) {
                const slice piece = where.piece_of(operand, rank);
                const slice panel = where.panel_of(operand, rank);
                EXPECT_EQ(where.whole_piece_of(operand, rank),
                          internals::of(plan).pieces[operand].block_of(rank));
                if (!where.takes_part(rank))
                    continue;
                EXPECT_EQ(where.rank_at(where.position_of(rank)), rank);
                index_t team_total = 0;
                const std::vector<int> team = where.team_of(operand, rank);
                EXPECT_EQ(team[static_cast<std::size_t>(where.place_in_team(operand, rank))], rank);
                for (const int member : team) {
                    EXPECT_EQ(where.panel_of(operand, member), panel);
                    team_total += where.piece_of(operand, member).size();
                }
                EXPECT_EQ(team_total, panel.size());
            }
        }
        EXPECT_EQ(work, static_cast<double>(l * m * n * k * j));
    }
}

TEST(DistPlan, KeepsWithinMemoryOrSaysWhatIsNeeded) {
    const dist_plan free = plan_for("mn=mk*kn", cube(256), 16);
    const byte_count tight = bytes(free.summary().peak.value - 1);
    try {
        const dist_plan plan = plan_for("mn=mk*kn", cube(256), 16, {.memory_per_rank = tight});
        EXPECT_LE(plan.summary().peak, tight);
    } catch (const error &thrown) {
        EXPECT_EQ(thrown.code(), errc::workspace_too_small);
    }
    try {
        plan_for("mn=mk*kn", cube(256), 16, {.memory_per_rank = kib(1)});
        FAIL() << "a kibibyte does not hold the tensors";
    } catch (const error &thrown) {
        EXPECT_EQ(thrown.code(), errc::workspace_too_small);
        EXPECT_NE(std::string(thrown.what()).find("the least is"), std::string::npos)
            << thrown.what();
    }
}

TEST(DistPlan, KeepsWithinMemoryBesideEmptyGroups) {
    const index_t x = 700;
    const std::vector<std::pair<const char *, std::vector<extents_t>>> all{
        {"mn=mk*kn", {{0, x}, {x, x}, {0, x}}}, {"mn=mk*kn", {{x, x}, {x, 0}, {x, 0}}},
        {"mn=mk*kn", {{x, 0}, {0, x}, {x, x}}}, {"bmn=bmk*bkn", {{0, x, x}, {0, x, x}, {0, x, x}}},
        {"mn=mk*kn", {{0, x}, {x, 0}, {0, 0}}}, {"m=mkl", {{x, x, 0}, {x}}},
        {"ml=mkl", {{x, x, 0}, {x, 0}}}};
    for (const auto &[expression, extents] : all)
        for (const int rank_count : {1, 2, 4, 6})
            for (const bool reproducible : {false, true}) {
                dist_options options;
                options.reproducible = reproducible;
                const auto plan = [&, &expression = expression, &extents = extents] {
                    return make_dist_plan(parse(expression), data_type::f64, extents, rank_count,
                                          options);
                };
                const index_t peak = plan().summary().peak.value;
                for (const index_t limit : {peak - 1, peak * 9 / 10, peak / 2})
                    try {
                        options.memory_per_rank = bytes(limit);
                        EXPECT_LE(plan().summary().peak, bytes(limit));
                    } catch (const error &thrown) {
                        EXPECT_EQ(thrown.code(), errc::workspace_too_small);
                    }
            }
}

TEST(DistPlan, SaysWhatIsWrong) {
    const auto code_of = [](auto make) {
        try {
            make();
        } catch (const error &thrown) {
            return thrown.code();
        }
        return errc::ok;
    };
    EXPECT_EQ(code_of([] {
                  plan_for("mn=mk*kn", {{2, 3}, {4, 2}, {2, 2}}, 4);
              }),
              errc::extent_mismatch);
    EXPECT_EQ(code_of([] { plan_for("mn=mk*kn", {{2, 3}, {3, 2}}, 4); }), errc::invalid_argument);
    EXPECT_EQ(code_of([] {
                  plan_for("mn=mk*kl*ln", {{2, 2}, {2, 2}, {2, 2}, {2, 2}}, 4);
              }),
              errc::unsupported);
    EXPECT_EQ(code_of([] { make_dist_plan(parse("mn=mk*kn"), data_type::i8, cube(4), 4); }),
              errc::type_mismatch);
    EXPECT_EQ(code_of([] {
                  const std::vector<distribution> operands{distribution::block({4, 4}, 2),
                                                           distribution::block({4, 4}, 3),
                                                           distribution::block({4, 4}, 2)};
                  make_dist_plan(parse("mn=mk*kn"), data_type::f64, operands);
              }),
              errc::invalid_argument);
    EXPECT_EQ(code_of([] { plan_for("mn=mk*kn", cube(4), 4).layout_of(3); }),
              errc::invalid_argument);
    EXPECT_EQ(code_of([] {
                  dist_options options;
                  options.workspace_limit = byte_count{INT64_MIN};
                  make_dist_plan(parse("mn=mk*kn"), data_type::f64, cube(4), 4, options);
              }),
              errc::invalid_argument);
}

TEST(DistPlan, NumbersThatAreNoEnumeratorsAreRefused) {
    const auto message_for = [](const dist_options &options, data_type type = data_type::f64) {
        return testing::message_of(
            [&] { make_dist_plan(parse("mn=mk*kn"), type, cube(4), 4, options); },
            errc::invalid_argument);
    };
    EXPECT_EQ(message_for({}, data_type(77)),
              "the element type is 77; there are f32 (0), f64 (1), c32 (2), c64 (3), bf16 (4), "
              "f16 (5)");
    EXPECT_EQ(message_for({.algorithm = algorithm(77)}).find("algorithm is 77; there are auto (0)"),
              0U);
    EXPECT_EQ(message_for({.tuning = tuning(77)}).find("tuning is 77; there are estimate (0)"), 0U);
    EXPECT_EQ(message_for({.backend = backend(77)}),
              "backend is 77; there are native (0), blis (1)");
    EXPECT_EQ(message_for({.threads = -1}), "threads is -1; it is 0 to 4096");
}

TEST(LowerBound, HasThePapersThreeCases) {
    using dist_impl::lower_bound;
    const double m = 9600, n = 2400, k = 600; // the paper's example: P = 3, 36, 512
    // One dimension: P <= m / n = 4. Two: P <= m n / k^2 = 64. Three for more ranks.
    const auto bound = [&](int ranks) {
        return lower_bound(1, 9600, 2400, 600, ranks, std::nullopt).words;
    };
    EXPECT_DOUBLE_EQ(bound(3), (1 - 1.0 / 3) * n * k);
    EXPECT_DOUBLE_EQ(bound(36), 2 * std::sqrt(m * n * k * k / 36) - (m * k + n * k) / 36);
    EXPECT_NEAR(bound(512), 3 * std::pow(m * n * k / 512, 2.0 / 3) - (m * n + m * k + n * k) / 512,
                1e-6);
    EXPECT_EQ(bound(1), 0);
    // The cases agree at their borders.
    EXPECT_NEAR(bound(4), 2 * std::sqrt(m * n * k * k / 4) - (m * k + n * k) / 4, 1e-6);
    EXPECT_EQ(lower_bound(1, 0, 5, 5, 4, std::nullopt).words, 0);
    EXPECT_EQ(lower_bound(8, 64, 64, 64, 8, std::nullopt).words, 0);
    EXPECT_DOUBLE_EQ(lower_bound(2, 64, 64, 64, 16, std::nullopt).words,
                     lower_bound(1, 64, 64, 64, 8, std::nullopt).words);
    // With little memory, the other bound is larger below 4/9 (m n k / P)^(2/3) words.
    const double turn = 4.0 / 9 * std::pow(1024.0 * 1024 * 1024 / 64, 2.0 / 3);
    EXPECT_TRUE(lower_bound(1, 1024, 1024, 1024, 64, 0.9 * turn).memory_dependent);
    EXPECT_FALSE(lower_bound(1, 1024, 1024, 1024, 64, 1.1 * turn).memory_dependent);
}

// How much plans move, by the planner's own numbers, which users are promised. Tests in tests/mpi
// check that executions receive exactly these numbers.

TEST(Volume, OfCubesIsWithinATenthOfTheBound) {
    const index_t n = 32768;
    for (const int ranks : {8, 16, 64, 1000, 1024})
        EXPECT_LE(plan_in_place("mn=mk*kn", cube(n), ranks).summary().ratio_to_bound, 1.10)
            << ranks << " ranks";
    // From the default distributions, which are 2 x 4 and 4 x 4, grids that redistribute nothing
    // receive less in all.
    for (const int ranks : {8, 16}) {
        const dist_plan_summary s = plan_for("mn=mk*kn", cube(n), ranks).summary();
        EXPECT_EQ(s.redistribution, bytes(0));
        EXPECT_LE(s.total_ratio_to_bound, 1.34);
    }
}

TEST(Volume, OfTheParticleParticleLadderIsWithinATenthOfTheBound) {
    for (const auto &[o, v] : {std::pair<index_t, index_t>{20, 200}, {50, 500}})
        for (const int ranks : {16, 64, 1024})
            EXPECT_LE(plan_for("abij=abef*efij", {{v, v, v, v}, {v, v, o, o}, {v, v, o, o}}, ranks)
                          .summary()
                          .ratio_to_bound,
                      1.10)
                << ranks << " ranks, o = " << o;
}

/// Operands are in the default distribution; 1 MB is 10^6 bytes.
TEST(Volume, OfAFourIndexProductWithAndWithoutRedistribution) {
    const extents_t four{32, 32, 32, 32};
    struct limits {
        int ranks;
        double received, total; ///< MB
    };
    for (const auto &[ranks, received, total] : {limits{2, 4.195, 8.39}, limits{4, 4.195, 8.91},
                                                 limits{8, 3.146, 3.93}, limits{16, 2.622, 4.2}}) {
        const dist_plan_summary s = plan_for("abcd=aebf*dfce", {four, four, four}, ranks).summary();
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
