// Tests which runs count, with made-up seconds.
#include <gtest/gtest.h>

#include "apps/common/timing.hpp"

namespace tenfold::apps_impl {
namespace {

struct counted {
    timed_runs timed;
    int calls;    ///< all of them
    int warm_ups; ///< that did not count
};

/// The first call takes `first` seconds, all others 0.5.
counted run(int repeat, double first) {
    counted result{{}, 0, 0};
    result.timed = time_runs(
        repeat, [&](int) { return result.calls++ == 0 ? first : 0.5; }, [&] { ++result.warm_ups; });
    return result;
}

TEST(TimedRuns, AShortFirstCallWarmsUp) {
    const counted once = run(1, 0.9);
    EXPECT_EQ(once.calls, 2);
    EXPECT_EQ(once.warm_ups, 1);
    EXPECT_EQ(once.timed.seconds_min, 0.5);
    EXPECT_FALSE(once.timed.first_call);
    EXPECT_EQ(run(3, 0.001).timed.seconds_min, 0.5);
    EXPECT_EQ(run(3, 0.001).calls, 4);
}

TEST(TimedRuns, ALongOneCountsAndIsTold) {
    const counted once = run(1, 2.0);
    EXPECT_EQ(once.calls, 1);
    EXPECT_EQ(once.warm_ups, 0);
    EXPECT_EQ(once.timed.seconds_min, 2.0);
    EXPECT_TRUE(once.timed.first_call);
    const counted twice = run(2, 2.0);
    EXPECT_EQ(twice.calls, 2);
    EXPECT_EQ(twice.timed.seconds_min, 0.5);
    EXPECT_FALSE(twice.timed.first_call);
}

} // namespace
} // namespace tenfold::apps_impl
