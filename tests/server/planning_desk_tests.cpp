// Which thread plans what.
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "apps/server/planning_desk.hpp"

namespace tenfold::server {
namespace {

const std::string two_inputs = R"({"expression": "ij=ik*kj", "inputs": ["A", "B"]})";
const std::string three_inputs = R"({"expression": "a=a*a*a", "inputs": ["A", "B", "C"]})";

/// The thread that runs a request's task.
std::thread::id thread_of(planning_desk &desk, effort takes, const std::string &body = "{}") {
    const auto told = std::make_shared<std::promise<std::thread::id>>(); // the task's, too
    auto future = told->get_future();
    desk.handle(takes, body, [told] { told->set_value(std::this_thread::get_id()); });
    return future.get();
}

/// How many contractions of two inputs, which take nothing, are planned elsewhere until one is not.
int plans_until_one_is_here(planning_desk &desk) {
    int plans = 0;
    while (thread_of(desk, effort::contraction, two_inputs) != std::this_thread::get_id())
        if (++plans == 1000)
            throw std::runtime_error("all are planned elsewhere");
    return plans;
}

void compute_for(double seconds) {
    const auto now = [] {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    };
    for (const double start = now(); now() - start < seconds;) {
    }
}

TEST(PlanningDesk, LetsTheCallerDoWhatTakesLittle) {
    planning_desk desk;
    const std::thread::id here = std::this_thread::get_id();
    EXPECT_EQ(thread_of(desk, effort::none), here);
    EXPECT_EQ(thread_of(desk, effort::little_planning), here);
    EXPECT_NE(thread_of(desk, effort::contraction, two_inputs), here); // nothing is measured yet
    plans_until_one_is_here(desk);
}

TEST(PlanningDesk, DoesElsewhereWhatMayTakeLong) {
    planning_desk desk;
    const std::thread::id here = std::this_thread::get_id();
    const std::string blanks(100000, ' ');
    EXPECT_NE(thread_of(desk, effort::planning), here);
    EXPECT_NE(thread_of(desk, effort::little_planning, blanks), here);
    EXPECT_NE(thread_of(desk, effort::contraction, two_inputs + blanks), here);
    EXPECT_NE(thread_of(desk, effort::contraction, three_inputs), here);
    for (const char *body : {"", "{", "[]", "3", R"({"inputs": 3})", R"({"inputs": {}})"})
        EXPECT_NE(thread_of(desk, effort::contraction, body), here) << body;
    EXPECT_NE(thread_of(desk, effort::long_planning),
              thread_of(desk, effort::planning)); // nobody waits for it
}

TEST(PlanningDesk, LearnsThatContractionsOfTwoTakeLong) {
    std::promise<void> done;
    planning_desk desk; // ends first
    desk.handle(effort::contraction, two_inputs, [&done] {
        compute_for(0.008);
        done.set_value();
    });
    done.get_future().get();
    EXPECT_EQ(thread_of(desk, effort::none), std::this_thread::get_id());
    EXPECT_GE(plans_until_one_is_here(desk), 3); // 8 ms / 2^3 is more than 1 ms, by a little
}

TEST(PlanningDesk, KeepsTheOrder) {
    std::promise<void> begun, go_on, done;
    std::vector<int> order; // tasks run one at a time
    planning_desk desk;     // ends first
    std::thread caller([&] {
        desk.handle(effort::little_planning, "{}", [&] {
            begun.set_value();
            go_on.get_future().get();
            order.push_back(1);
        });
    });
    begun.get_future().get();
    const auto add = [&order](int number) { return [&order, number] { order.push_back(number); }; };
    desk.handle(effort::planning, "{}", add(2));
    desk.handle(effort::little_planning, "{}", add(3)); // returns: it does not wait for the first
    desk.handle(effort::contraction, two_inputs, add(4));
    desk.handle(effort::contraction, three_inputs, [&order, &done] {
        order.push_back(5);
        done.set_value();
    });
    go_on.set_value();
    done.get_future().get();
    caller.join();
    EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 4, 5}));
}

TEST(PlanningDesk, DoesAllBeforeItEnds) {
    int done = 0;
    {
        planning_desk desk;
        for (int i = 0; i < 100; ++i)
            desk.handle(effort::planning, "{}", [&done] { ++done; });
    }
    EXPECT_EQ(done, 100);
}

} // namespace
} // namespace tenfold::server
