// Checks that no grid moves much less than the one that a plan takes, redistribution included, for
// the contractions of bench/tccg.txt and bench/dist_cc.txt in the default distributions.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>
#include <tenfold/dist_plan.hpp>

#include "distributed/made_up_machine.hpp"
#include "distributed/plan/costs.hpp"
#include "distributed/plan/fit_layouts.hpp"
#include "distributed/plan/grid_search.hpp"
#include "distributed/plan/plan_state.hpp"
#include "distributed/plan/split_table.hpp"
#include "distributed/words_of_boxes.hpp"
#include "recorded/lists.hpp"

namespace tenfold::testing {
namespace {

using namespace dist_impl;

/// The load of the busiest ranks.
struct grid_load {
    double bytes = 0;
    double multiply_adds = 0;
};

grid_load load_of(const plan_state &plan, const layouts &where) {
    index_t received = 0, redistributed = 0;
    grid_load load;
    for (int rank = 0; rank < plan.ranks; ++rank) {
        received = std::max(received, where.words_received(rank));
        redistributed = std::max(redistributed, words_of_boxes(plan, where, rank));
        load.multiply_adds = std::max(load.multiply_adds, where.multiply_adds(rank));
    }
    load.bytes = static_cast<double>((received + redistributed) * size_of(plan.type));
    return load;
}

/// Returns the numbers of parts that make blocks of a group smaller than any lower number does.
std::vector<int> numbers_of_parts(const plan_state &plan, label_class group) {
    const extents_t extents = plan.problem->extents_of(plan.problem->group(group));
    std::vector<int> found;
    index_t least = INT64_MAX;
    for (int parts = 1; parts <= plan.ranks; ++parts) {
        const split_table table(extents, parts);
        if (!table.possible() || table.largest() >= least)
            continue;
        least = table.largest();
        found.push_back(parts);
    }
    return found;
}

std::vector<processor_grid> all_grids(const plan_state &plan) {
    std::vector<processor_grid> grids;
    for (const int batch : numbers_of_parts(plan, label_class::batch))
        for (const int m : numbers_of_parts(plan, label_class::m))
            for (const int n : numbers_of_parts(plan, label_class::n))
                for (const int k : numbers_of_parts(plan, label_class::k))
                    if (const processor_grid grid{batch, m, n, k}; grid.size() <= plan.ranks)
                        grids.push_back(grid);
    return grids;
}

std::string text_of(const processor_grid &grid) {
    return std::to_string(grid.batch) + "x" + std::to_string(grid.m) + "x" +
           std::to_string(grid.n) + "x" + std::to_string(grid.k);
}

/// Grids may move a tenth less only if they multiply more or are predicted to take longer.
void expect_near_least(const listed_contraction &one, int ranks) {
    constexpr double more_bytes = 1.10;
    constexpr double more_work = 1.05;
    const dist_plan plan =
        make_dist_plan(one.spec, data_type::f64, one.all_extents(), ranks, on_wide({.threads = 1}));
    const plan_state &state = internals::of(plan);
    const grid_load taken = load_of(state, state.where);
    EXPECT_EQ(static_cast<double>(plan.summary().total_received.value), taken.bytes);
    shared_tables tables;
    for (const processor_grid &grid : all_grids(state)) {
        const layouts first = layouts_before_fitting(state, grid, {}, tables.splits);
        index_t received = 0; // the same for all layouts of the grid
        for (int rank = 0; rank < ranks; ++rank)
            received = std::max(received, first.words_received(rank));
        if (more_bytes * static_cast<double>(received * size_of(state.type)) >= taken.bytes)
            continue;
        const grid_load other =
            load_of(state, fit_layouts(state, grid, {}, redistributions(state, tables.operands),
                                       tables.splits));
        if (other.multiply_adds > more_work * taken.multiply_adds ||
            more_bytes * other.bytes >= taken.bytes)
            continue;
        const dist_plan forced = make_dist_plan(one.spec, data_type::f64, one.all_extents(), ranks,
                                                on_wide({.grid = grid, .threads = 1}));
        const double seconds = internals::of(forced).seconds;
        const std::string what =
            one.name + " on " + std::to_string(ranks) + " ranks: " + text_of(state.summary.grid) +
            " moves " + std::to_string(taken.bytes * 1e-6) + " MB, " + text_of(grid) + " " +
            std::to_string(other.bytes * 1e-6) + " MB; predicted " +
            std::to_string(state.seconds * 1e3) + " and " + std::to_string(seconds * 1e3) + " ms";
        EXPECT_LE(state.seconds, seconds) << what;
        std::printf("%s\n", what.c_str());
    }
}

class Grids : public ::testing::TestWithParam<int> {
protected:
    void SetUp() override {
        constexpr int quick = 16; // 64 ranks have 350 grids each, which take most of the time
        if (GetParam() > quick && std::getenv("TENFOLD_TEST_LONG") == nullptr)
            GTEST_SKIP() << "one of the long tests";
    }
};

TEST_P(Grids, OfTccgMoveLittleMoreThanAnyOther) {
    for (const listed_contraction &one : read_contractions(bench_list("tccg"), data_type::f64))
        expect_near_least(one, GetParam());
}

TEST_P(Grids, OfCoupledClusterMoveLittleMoreThanAnyOther) {
    for (const listed_contraction &one : read_contractions(bench_list("dist_cc"), data_type::f64))
        expect_near_least(one, GetParam());
}

/// Grids whose bound exceeds the cost of the best one found are never looked at.
TEST_P(Grids, AreBoundedFromBelow) {
    for (const listed_contraction &one : read_contractions(bench_list("dist_cc"), data_type::f64)) {
        const dist_plan plan = make_dist_plan(one.spec, data_type::f64, one.all_extents(),
                                              GetParam(), on_wide({.threads = 1}));
        const plan_state &state = internals::of(plan);
        const std::vector<priced_grid> bounds =
            grid_bounds(state, group_cuts(*state.problem, nullptr, state.ranks)).all();
        EXPECT_EQ(bounds.size(), all_grids(state).size());
        EXPECT_LE(bounds.front().seconds(), 1.0001 * state.seconds) << one.name;
        shared_tables tables;
        const redistributions counted(state, tables.operands);
        for (const priced_grid &bound : bounds) {
            if (bound.grid.size() % 4 != 0 || bound.grid.size() > 16) // some are enough
                continue;
            const layouts where = fit_layouts(state, bound.grid, {}, counted, tables.splits);
            const layout_choice &choice = where.choice();
            const double seconds =
                redistribution_seconds(state, counted, choice, counted.of(choice).most);
            EXPECT_LE(bound.redistribution, 1.0001 * seconds)
                << one.name << " " << text_of(bound.grid);
        }
    }
}

/// Of what a rank holds of the tensors, in the mean, how much it holds at the peak.
TEST(Peaks, OfTccgOnEightRanks) {
    const int ranks = 8;
    double sum = 0;
    int count = 0;
    for (const listed_contraction &one : read_contractions(bench_list("tccg"), data_type::f64)) {
        double tensors = 0;
        for (const extents_t &extents : one.all_extents()) {
            double bytes = 8.0 / ranks;
            for (const index_t extent : extents)
                bytes *= static_cast<double>(extent);
            tensors += bytes;
        }
        const dist_plan plan = make_dist_plan(one.spec, data_type::f64, one.all_extents(), ranks,
                                              on_wide({.threads = 1}));
        const double ratio = static_cast<double>(plan.summary().peak.value) / tensors;
        EXPECT_LE(ratio, 4.2) << one.name << "\n" << plan.describe();
        sum += ratio;
        ++count;
    }
    EXPECT_LE(sum / count, 2.55);
}

INSTANTIATE_TEST_SUITE_P(Ranks, Grids, ::testing::Values(2, 3, 4, 8, 12, 16, 64));

} // namespace
} // namespace tenfold::testing
