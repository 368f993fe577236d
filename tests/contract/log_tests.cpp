// Tests what settings::log gets.
#include <algorithm>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <tenfold/tenfold.hpp>

namespace tenfold {
namespace {

struct receiver {
    std::mutex mutex;
    std::vector<std::pair<int, std::string>> all;

    settings at_level(int level) {
        settings wanted = settings::from_environment();
        wanted.calibration = "off";
        wanted.log_level = level;
        wanted.log = [this](int its_level, std::string_view message) {
            const std::lock_guard lock(mutex);
            all.emplace_back(its_level, message);
        };
        return wanted;
    }
    int with(int level, std::string_view begin) const {
        return static_cast<int>(std::ranges::count_if(all, [&](const auto &one) {
            return one.first == level && one.second.starts_with(begin);
        }));
    }
};

TEST(Log, NothingUnlessAskedFor) {
    receiver seen;
    const context ctx(seen.at_level(0));
    const tensor<double> a({3, 2}), b({2, 4});
    tensor<double> d({3, 4});
    contract("ab=ak*kb", a, b, d, {.ctx = &ctx});
    EXPECT_TRUE(seen.all.empty());
}

TEST(Log, RatesOnce) {
    receiver seen;
    const context ctx(seen.at_level(2));
    const tensor<double> a({3, 2}), b({2, 4});
    tensor<double> d({3, 4});
    for (int i = 0; i < 3; ++i)
        // The factor makes it a contraction with a plan: small matrices need none otherwise.
        contract(i == 0 ? "ab=1*ak*kb" : "xy=1*xk*ky", a, b, d, {.ctx = &ctx});
    EXPECT_EQ(seen.with(2, "rates of the machine: typical of "), 1);
    EXPECT_EQ(seen.all.size(), 1U); // plans are for level 3
}

TEST(Log, EachPlanThatIsMade) {
    receiver seen;
    const context ctx(seen.at_level(3));
    const tensor<double> a({3, 2}), b({2, 4}), e({4, 5});
    tensor<double> d({3, 4}), last({3, 5});
    for (int i = 0; i < 3; ++i) // planned once
        contract("ab=ak*kb", a, b, d, {.ctx = &ctx});
    EXPECT_EQ(seen.with(3, "plan of 'ab=ak*kb', f64: direct, m n k batch 3 x 4 x 2 x 1, predicted "),
              1);
    contract("ad=ab*bc*cd", {a, b, e}, last, {.ctx = &ctx});
    EXPECT_EQ(seen.with(3, "plan of 'ad=ab*bc*cd', f64: 3 inputs in 2 steps, predicted "), 1);
    EXPECT_TRUE(std::ranges::none_of(
        seen.all, [](const auto &one) { return one.second.find('\n') != std::string::npos; }));
}

TEST(Log, PlansThatTheCacheDrops) {
    receiver seen;
    settings wanted = seen.at_level(3);
    wanted.plan_cache_limit = kib(8);
    const context ctx(wanted);
    const tensor<double> a({3, 2}), b({2, 4});
    tensor<double> d({3, 4});
    for (const char *one : {"ab=ak*kb", "xy=xk*ky", "mn=mk*kn", "ij=ik*kj", "pq=pr*rq", "st=su*ut"})
        contract(one, a, b, d, {.ctx = &ctx});
    EXPECT_GE(seen.with(3, "plan cache: "), 1);
}

TEST(Log, WhatTuningFound) {
    receiver seen;
    const context ctx(seen.at_level(2));
    const tensor<double> a({30, 20}), b({20, 40});
    tensor<double> d({30, 40});
    static_cast<void>(
        make_plan("ab=ak*kb", a, b, d, {.tuning = tuning::measure, .ctx = &ctx}));
    EXPECT_EQ(seen.with(2, "ab=ak*kb, tuning: "), 1);
}

/// A receiver may throw, and may call the library.
TEST(Log, TheReceiverIsFree) {
    settings wanted = settings::from_environment();
    wanted.calibration = "off";
    wanted.log_level = 3;
    const context *own = nullptr;
    int depth = 0, calls = 0;
    const tensor<double> a({3, 2}), b({2, 4});
    wanted.log = [&](int, std::string_view) {
        ++calls;
        if (depth++ == 0) {
            tensor<double> inner({3, 4});
            contract("mn=mk*kn", a, b, inner, {.ctx = own});
        }
        throw 1;
    };
    const context ctx(wanted);
    own = &ctx;
    tensor<double> d({3, 4});
    contract("ab=ak*kb", a, b, d, {.ctx = &ctx});
    EXPECT_GE(calls, 2);
}

} // namespace
} // namespace tenfold
