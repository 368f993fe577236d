// Tests the parts of watched work: the shares that they report, and how they end.
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "base/parallel.hpp"
#include "base/work.hpp"

namespace tenfold::base {
namespace {

using std::chrono::milliseconds;

/// Records every call of progress().
struct listener {
    std::vector<double> told;
    std::stop_source source;
    execution_control control{[this](double done) { told.push_back(done); }, source.get_token(),
                              milliseconds(0)};
};

TEST(Work, unwatched_parts_do_nothing) {
    EXPECT_FALSE(work_part::is_watched());
    const work_part part(0.5);
    work_part::done(1);
    EXPECT_FALSE(work_part::is_watched());
    EXPECT_FALSE(work_part::stops());
    watched_call call(nullptr);
    EXPECT_FALSE(work_part::is_watched());
    EXPECT_TRUE(call.outcome().ok());
    EXPECT_EQ(call.outcome(status(errc::overlap)).code(), errc::overlap);
}

TEST(Work, shares_multiply_and_add_up) {
    listener heard;
    watched_call call(&heard.control);
    {
        const work_part half(0.5);
        work_part::done(0.5);
        {
            const work_part rest(0.5);
            work_part::done(0.25);
        } // the rest of it is done now
    }
    work_part::done(0.25);
    EXPECT_TRUE(call.outcome().ok());
    EXPECT_EQ(heard.told, (std::vector<double>{0.25, 0.3125, 0.5, 0.75, 1}));
}

TEST(Work, parts_without_a_share_are_told_with_the_one_around_them) {
    listener heard;
    watched_call call(&heard.control);
    {
        const work_part some(0.5);
        const work_part untold(0);
        work_part::done(0.5);
        work_part::done(0.5);
    }
    EXPECT_EQ(heard.told.back(), 0.5);
}

TEST(Work, is_told_once_per_interval) {
    listener heard;
    heard.control.interval = std::chrono::hours(1);
    watched_call call(&heard.control);
    for (int i = 0; i < 10; ++i)
        work_part::done(0.1);
    EXPECT_TRUE(call.outcome().ok());
    EXPECT_EQ(heard.told, std::vector<double>{1}) << "the end is always told";
}

TEST(Work, is_told_by_the_callers_thread_and_done_by_all) {
    listener heard;
    std::atomic<int> elsewhere{0};
    const auto caller = std::this_thread::get_id();
    heard.control.progress = [&](double done) {
        heard.told.push_back(done);
        elsewhere += std::this_thread::get_id() != caller;
    };
    watched_call call(&heard.control);
    run_parallel(2, [](team_member member) {
        EXPECT_TRUE(work_part::is_watched());
        for (int i = 0; i < 4; ++i)
            work_part::done(0.25 / member.size());
        member.barrier();
        work_part::done(0); // all have
    });
    EXPECT_EQ(elsewhere, 0);
    EXPECT_EQ(heard.told.back(), 1);
    run_parallel(2, [](team_member) { EXPECT_TRUE(work_part::is_watched()); });
    EXPECT_TRUE(call.outcome().ok());
}

TEST(Work, threads_are_at_nothing_after_a_team) {
    {
        listener heard;
        watched_call call(&heard.control);
        run_parallel(2, [](team_member) { work_part::done(0.1); });
    }
    run_parallel(2, [](team_member) { EXPECT_FALSE(work_part::is_watched()); });
}

TEST(Work, what_progress_calls_is_not_watched) {
    listener heard;
    int calls = 0;
    heard.control.progress = [&](double) {
        ++calls;
        EXPECT_FALSE(work_part::is_watched());
        work_part::done(1);
    };
    watched_call call(&heard.control);
    work_part::done(0.5);
    EXPECT_TRUE(work_part::is_watched());
    EXPECT_EQ(calls, 1);
}

TEST(Work, stops_for_all_once_one_looked) {
    listener heard;
    watched_call call(&heard.control);
    EXPECT_FALSE(work_part::stops());
    heard.source.request_stop();
    run_parallel(2, [](team_member) { EXPECT_TRUE(work_part::stops()); });
    EXPECT_EQ(call.outcome().code(), errc::stopped);
    EXPECT_TRUE(heard.told.empty()) << "the end was not reached";
}

TEST(Work, a_stop_that_nobody_saw_has_no_effect) {
    listener heard;
    watched_call call(&heard.control);
    work_part::done(1);
    heard.source.request_stop();
    EXPECT_TRUE(call.outcome().ok());
}

TEST(Work, an_exception_of_progress_stops_and_is_thrown_again) {
    listener heard;
    heard.control.progress = [](double) { throw std::runtime_error("enough"); };
    watched_call call(&heard.control);
    work_part::done(0.5);
    EXPECT_TRUE(work_part::stops());
    EXPECT_EQ(call.outcome().code(), errc::stopped);
    EXPECT_THROW(call.finish(), std::runtime_error);
    EXPECT_THROW(run_watched(&heard.control, [] { work_part::done(0.5); }), std::runtime_error);
}

TEST(Work, calls_within_calls_have_their_own_watch) {
    listener outer, inner;
    watched_call all(&outer.control);
    {
        const work_part half(0.5);
        watched_call call(&inner.control);
        work_part::done(0.5);
        EXPECT_TRUE(call.outcome().ok());
    }
    EXPECT_EQ(inner.told, (std::vector<double>{0.5, 1}));
    EXPECT_EQ(outer.told, std::vector<double>{0.5});
}

TEST(Work, ranges_run_at_once_or_in_parts) {
    std::vector<range> parts;
    const auto note = [&](range part) { parts.push_back(part); };
    in_watched_parts({3, 10}, 10, note);
    ASSERT_EQ(parts.size(), 1U);
    EXPECT_EQ(parts[0].begin, 3);
    EXPECT_EQ(parts[0].end, 10);

    parts.clear();
    listener heard;
    watched_call call(&heard.control);
    in_watched_parts({0, 10}, 10, note);
    EXPECT_EQ(parts.size(), 10U);
    EXPECT_NEAR(heard.told.back(), 1, 1e-12);
    in_watched_parts({5, 5}, 10, [](range) { ADD_FAILURE() << "nothing to do"; });

    parts.clear();
    index_t covered = 0;
    in_watched_parts({7, 1000000}, 1000000, [&](range part) {
        EXPECT_EQ(part.begin, covered + 7);
        covered += part.size();
        if (part.begin > 500000)
            heard.source.request_stop();
    });
    EXPECT_GE(covered, 500000);
    EXPECT_LT(covered, 510000) << "the rest is left out";
    EXPECT_EQ(call.outcome().code(), errc::stopped);
}

TEST(Work, pieces_of_a_file_cover_it_and_end_after_a_stop) {
    constexpr index_t size = (index_t{20} << 20) + 3;
    index_t moved = 0;
    move_in_pieces(size, [&](index_t offset, index_t piece) {
        EXPECT_EQ(offset, moved);
        moved += piece;
    });
    EXPECT_EQ(moved, size);

    listener heard;
    EXPECT_THROW(run_watched(&heard.control,
                             [&] {
                                 move_in_pieces(size, [&](index_t offset, index_t) {
                                     EXPECT_EQ(offset, 0) << "not after the stop";
                                     heard.source.request_stop();
                                 });
                             }),
                 error);
}

TEST(Work, loops_are_divided_in_grains) {
    listener heard;
    watched_call call(&heard.control);
    std::vector<index_t> begins;
    index_t done = 0;
    in_watched_parts(
        {5, 1005}, 1000,
        [&](const range &part) {
            begins.push_back(part.begin - 5);
            done += part.size();
        },
        /*grain=*/64);
    EXPECT_EQ(done, 1000);
    EXPECT_EQ(begins.size(), 16);
    for (const index_t begin : begins)
        EXPECT_EQ(begin % 64, 0);
    EXPECT_NEAR(heard.told.back(), 1, 1e-12);
}

TEST(Work, loops_within_loops_are_divided_into_so_many_parts_in_all) {
    listener heard;
    watched_call call(&heard.control);
    index_t parts = 0, done = 0;
    const range loop{0, 5000};
    in_watched_parts(loop, loop.size(), [&](const range &part) {
        for (index_t i = 0; i < part.size(); ++i)
            in_watched_parts(loop, loop.size(), [&](const range &inner) {
                ++parts;
                done += inner.size();
            });
    });
    EXPECT_EQ(done, loop.size() * loop.size());
    EXPECT_EQ(parts, loop.size()) << "the inner loops are too short a part of the work";
}

TEST(Work, a_short_call_is_divided_into_few_parts) {
    listener heard;
    watched_call call(&heard.control, 1e-4);
    index_t parts = 0;
    in_watched_parts({0, 5000}, 5000, [&](const range &) { ++parts; });
    EXPECT_LE(parts, 11) << "of 10 microseconds";
    EXPECT_GE(parts, 9);
}

} // namespace
} // namespace tenfold::base
