// Tests teams of threads and the division of work.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/parallel.hpp"
#include "support/random.hpp"

namespace tenfold::base {
namespace {

/// Checks that parts cover [0, n) in order, begin at multiples of the grain, and differ by at most
/// one grain.
void expect_good_split(index_t n, int parts, index_t grain) {
    SCOPED_TRACE("split(" + std::to_string(n) + ", " + std::to_string(parts) + ", .., " +
                 std::to_string(grain) + ")");
    index_t covered = 0, fewest = INT64_MAX, most = 0;
    for (int part = 0; part < parts; ++part) {
        const range piece = split(n, parts, part, grain);
        ASSERT_EQ(piece.begin, covered);
        ASSERT_GE(piece.end, piece.begin);
        ASSERT_EQ(piece.empty(), piece.size() == 0);
        if (!piece.empty()) {
            ASSERT_EQ(piece.begin % grain, 0);
        }
        const index_t grains = piece.size() / grain + (piece.size() % grain != 0);
        fewest = std::min(fewest, grains);
        most = std::max(most, grains);
        covered = piece.end;
    }
    EXPECT_EQ(covered, n);
    EXPECT_LE(most - fewest, 1);
}

TEST(Split, small_ranges) {
    for (index_t n = 0; n <= 40; ++n)
        for (int parts = 1; parts <= 12; ++parts)
            for (const index_t grain : {1, 2, 3, 7, 16, 64})
                expect_good_split(n, parts, grain);
}

TEST(Split, ranges_near_2_to_the_63) {
    for (const index_t n : {INT64_MAX, INT64_MAX - 1, INT64_MAX / 2, index_t{1} << 62})
        for (const int parts : {1, 2, 3, 128, 1000})
            for (const index_t grain : {index_t{1}, index_t{8}, index_t{1000}, INT64_MAX})
                expect_good_split(n, parts, grain);
}

TEST(Split, random_ranges) {
    for (const int test_case : testing::cases(2'000)) {
        testing::random_source random(test_case);
        SCOPED_TRACE(testing::rerun_line(test_case));
        expect_good_split(random.integer(0, index_t{1} << random.integer(0, 62)),
                          static_cast<int>(random.integer(1, 200)),
                          random.integer(1, index_t{1} << random.integer(0, 20)));
        if (::testing::Test::HasFailure())
            break;
    }
}

TEST(RunParallel, every_member_runs_once) {
    for (const int threads : {-1, 0, 1, 2, 3, 8}) {
        std::vector<std::atomic<int>> calls(16);
        std::atomic<int> team{0};
        run_parallel(threads, [&](const team_member &me) {
            ++calls[static_cast<std::size_t>(me.id())];
            team = me.size();
        });
        ASSERT_GE(team, 1);
        ASSERT_LE(team, std::max(threads, 1));
        for (int id = 0; id < 16; ++id)
            EXPECT_EQ(calls[static_cast<std::size_t>(id)], id < team ? 1 : 0) << id;
    }
}

TEST(RunParallel, barrier_separates_phases) {
    for (int round = 0; round < 50; ++round) {
        std::vector<int> written(8, 0);
        std::atomic<int> wrong{0};
        run_parallel(4, [&](const team_member &me) {
            const auto id = static_cast<std::size_t>(me.id());
            written[id] = round + 1;
            me.barrier();
            const auto next = static_cast<std::size_t>((me.id() + 1) % me.size());
            wrong += written[next] != round + 1;
        });
        ASSERT_EQ(wrong, 0);
    }
}

/// Each member in turn comes so late that the others have gone to sleep.
TEST(RunParallel, barrier_wakes_those_who_sleep) {
    std::atomic<int> late{0}, wrong{0};
    run_parallel(3, [&](const team_member &me) {
        for (int round = 0; round < 12; ++round) {
            if (me.id() == round % me.size()) {
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
                late = round + 1;
            }
            me.barrier();
            wrong += late != round + 1;
            me.barrier();
        }
    });
    EXPECT_EQ(wrong, 0);
}

/// More threads than most test machines have cores, and no time between barriers.
TEST(RunParallel, barriers_in_quick_succession) {
    constexpr int rounds = 2000;
    std::atomic<int> arrived{0}, wrong{0};
    run_parallel(8, [&](const team_member &me) {
        for (int round = 1; round <= rounds; ++round) {
            ++arrived;
            me.barrier();
            const int seen = arrived; // some may already be one round further
            wrong += seen < round * me.size() || seen >= (round + 1) * me.size();
        }
    });
    EXPECT_EQ(wrong, 0);
}

TEST(RunParallel, inside_a_parallel_region_the_caller_works_alone) {
    std::atomic<int> bodies{0}, teams_of_one{0};
    int outer = 0;
#pragma omp parallel num_threads(3)
    {
#pragma omp single
        outer = omp_get_num_threads();
        run_parallel(4, [&](const team_member &me) {
            ++bodies;
            teams_of_one += me.size() == 1 && me.id() == 0;
            me.barrier(); // of one: must not meet the outer team's
        });
    }
    EXPECT_EQ(bodies, outer);
    EXPECT_EQ(teams_of_one, outer > 1 ? outer : 0);
}

TEST(RunParallel, from_threads_that_openmp_does_not_know) {
    std::atomic<int> members{0};
    std::vector<std::thread> callers;
    for (int i = 0; i < 3; ++i)
        callers.emplace_back([&] {
            for (int round = 0; round < 20; ++round)
                run_parallel(2, [&](const team_member &me) {
                    me.barrier();
                    members += me.id() == 0;
                });
        });
    for (std::thread &caller : callers)
        caller.join();
    EXPECT_EQ(members, 60);
}

TEST(RunParallel, leaves_openmps_settings_alone) {
    const int threads = omp_get_max_threads(), levels = omp_get_max_active_levels();
    const int dynamic = omp_get_dynamic();
    run_parallel(3, [](const team_member &) {});
    EXPECT_EQ(omp_get_max_threads(), threads);
    EXPECT_EQ(omp_get_max_active_levels(), levels);
    EXPECT_EQ(omp_get_dynamic(), dynamic);
}

} // namespace
} // namespace tenfold::base
