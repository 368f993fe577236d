// The order of jobs.
#include <gtest/gtest.h>

#include "apps/server/job_queue.hpp"

namespace tenfold::server {
namespace {

job_pointer job_of(const std::string &user, double seconds) {
    auto made = std::make_shared<job>();
    made->user = user;
    made->seconds = seconds;
    return made;
}

TEST(JobQueue, KeepsTheOrderOfAUser) {
    job_queue queue;
    const job_pointer first = job_of("ada", 10), second = job_of("ada", 0.001);
    queue.push(first);
    queue.push(second);
    EXPECT_EQ(queue.size_of("ada"), 2U);
    EXPECT_EQ(queue.pop(), first);
    EXPECT_EQ(queue.pop(), second);
    EXPECT_EQ(queue.pop(), nullptr);
    EXPECT_EQ(queue.size(), 0U);
}

TEST(JobQueue, IsFairBetweenUsers) {
    job_queue queue;
    for (int i = 0; i < 100; ++i)
        queue.push(job_of("greedy", 1));
    for (int i = 0; i < 10; ++i)
        queue.pop();
    for (int i = 0; i < 10; ++i)
        queue.push(job_of("modest", 1));
    int modest = 0;
    for (int i = 0; i < 20; ++i)
        modest += queue.pop()->user == "modest" ? 1 : 0;
    EXPECT_EQ(modest, 10); // by turns, though the other one asked first
}

TEST(JobQueue, CountsSecondsNotJobs) {
    job_queue queue;
    for (int i = 0; i < 40; ++i) {
        queue.push(job_of("long", 4));
        queue.push(job_of("short", 1));
    }
    double seconds[2] = {0, 0};
    for (int i = 0; i < 25; ++i) {
        const job_pointer taken = queue.pop();
        seconds[taken->user == "long" ? 0 : 1] += taken->seconds;
    }
    EXPECT_NEAR(seconds[0], seconds[1], 4.01);
}

TEST(JobQueue, LetsShortJobsOvertakeUpToABound) {
    job_queue queue;
    queue.push(job_of("long", 100));
    for (int i = 0; i < 2 * job_queue::most_overtakes; ++i)
        queue.push(job_of("short" + std::to_string(i), 0.01));
    int ahead = 0;
    while (queue.pop()->user != "long")
        ++ahead;
    EXPECT_EQ(ahead, job_queue::most_overtakes);
}

TEST(JobQueue, RemovesWhatIsCancelled) {
    job_queue queue;
    const job_pointer one = job_of("ada", 1), other = job_of("ada", 1);
    queue.push(one);
    queue.push(other);
    EXPECT_TRUE(queue.remove(one));
    EXPECT_FALSE(queue.remove(one));
    EXPECT_EQ(queue.pop(), other);
    EXPECT_FALSE(queue.remove(other));
}

} // namespace
} // namespace tenfold::server
