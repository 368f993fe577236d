// Tests how many plans of contract() a context keeps, and that threads share them.
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <tenfold/tenfold.hpp>

#include "base/context_of.hpp"
#include "base/plan_cache.hpp"
#include "support/random.hpp"

namespace tenfold {
namespace {

constexpr byte_count little_room{32 << 10}; ///< not all shapes of these tests fit

settings with_little_room() {
    settings mine;
    mine.threads = 1;
    mine.plan_cache_limit = little_room;
    return mine;
}

TEST(OneShot, NoMoreIsKeptThanTheContextAllows) {
    const context ctx(with_little_room());
    const base::plan_cache &plans = base::plans_of(ctx);
    bool full = false;
    for (int repetition = 0; repetition < 2; ++repetition)
        for (index_t n = 1; n <= 30; ++n) {
            tensor<double> a({n}), b({n}), d({n, n});
            for (index_t i = 0; i < n; ++i)
                a(i) = b(i) = static_cast<double>(i + 1);
            const std::size_t before = plans.size();
            contract("ab=a*b", a, b, d, {.ctx = &ctx});
            EXPECT_EQ(d(n - 1, n - 1), static_cast<double>(n * n));
            EXPECT_LE(plans.bytes(), static_cast<std::size_t>(little_room.value));
            // A full cache drops about as much as it takes in.
            EXPECT_GE(plans.size() + 1, before);
            full = full || plans.size() <= before;
        }
    EXPECT_TRUE(full);
    EXPECT_GT(plans.bytes(), static_cast<std::size_t>(little_room.value) / 2);
}

/// The factor makes it a contraction with a plan: "ab=ac*cb" of small matrices needs none.
TEST(OneShot, ThousandsOfSmallPlansAreKept) {
    const context ctx{settings{}};
    constexpr index_t most = 16;
    const std::vector<double> zeros(most * most);
    std::vector<double> result(most * most);
    const auto shaped = [](auto *data, index_t rows, index_t columns) {
        return tensor_view(data, layout({rows, columns}));
    };
    for (int repetition = 0; repetition < 2; ++repetition)
        for (index_t m = 1; m <= most; ++m)
            for (index_t n = 1; n <= most; ++n)
                for (index_t k = 1; k <= most; ++k)
                    contract("ab=1*ac*cb", shaped(zeros.data(), m, k), shaped(zeros.data(), k, n),
                             shaped(result.data(), m, n), {.ctx = &ctx});
    EXPECT_EQ(base::plans_of(ctx).size(), static_cast<std::size_t>(most * most * most));
}

TEST(OneShot, ThreadsShareWhatTheyPlan) {
    const context ctx(with_little_room());
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; ++t)
        threads.emplace_back([&ctx, &wrong, t] {
            testing::random_source random(t);
            for (int i = 0; i < 400; ++i) {
                const index_t m = random.integer(1, 4), n = random.integer(1, 4);
                tensor<double> a({m, 3}), b({3, n}), d({m, n});
                for (index_t k = 0; k < 3; ++k) {
                    a(m - 1, k) = static_cast<double>(t + 1);
                    b(k, n - 1) = static_cast<double>(i + 1);
                }
                contract("ab=1*ac*cb", a, b, d, {.ctx = &ctx});
                if (d(m - 1, n - 1) != 3.0 * (t + 1) * (i + 1))
                    ++wrong;
            }
        });
    for (std::thread &one : threads)
        one.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_LT(base::plans_of(ctx).size(), 16U);
    EXPECT_LE(base::plans_of(ctx).bytes(), static_cast<std::size_t>(little_room.value));
}

} // namespace
} // namespace tenfold
