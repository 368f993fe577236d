// Tests one context in which many threads plan, tune and compute at once.
#include <algorithm>
#include <barrier>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <tenfold/tenfold.hpp>

#include "base/context_of.hpp"
#include "base/plan_cache.hpp"
#include "base/workspace.hpp"
#include "support/random.hpp"
#include "support/temporary_folder.hpp"

namespace tenfold::testing {
namespace {

constexpr int thread_count = 8;

/// A call and its expected result. Values are small integers, so that every order of summation
/// gives the same.
struct known_call {
    std::string expression;
    std::vector<tensor<double>> inputs;
    tensor<double> result;

    std::vector<input> operands() const { return {inputs.begin(), inputs.end()}; }
    bool is_result(const tensor<double> &d) const {
        return std::equal(d.data(), d.data() + d.size(), result.data());
    }
};

known_call make_call(const std::string &expression) {
    static const std::map<char, index_t> extent_of{{'a', 9},  {'b', 7},  {'c', 11},
                                                   {'d', 5},  {'e', 8},  {'f', 6},
                                                   {'k', 40}, {'m', 33}, {'n', 35}};
    const contraction_spec spec = parse(expression);
    const auto shaped = [&](const std::vector<label_t> &labels) {
        extents_t extents;
        for (const label_t label : labels)
            extents.push_back(
                extent_of.at(spec.label_names[static_cast<std::size_t>(label)].front()));
        return tensor<double>(extents);
    };
    known_call made{expression, {}, shaped(spec.output)};
    int value = 0;
    for (const std::vector<label_t> &labels : spec.inputs) {
        made.inputs.push_back(shaped(labels));
        for (index_t i = 0; i < made.inputs.back().size(); ++i)
            made.inputs.back().data()[i] = (value = (value * 5 + 3) % 11) - 5;
    }
    settings quiet;
    quiet.plan_cache_limit = {};
    const context own(quiet);
    contract(expression, made.operands(), made.result,
             {.algorithm = algorithm::reference, .threads = 1, .ctx = &own});
    return made;
}

const std::vector<known_call> &known_calls() {
    static const auto all = [] {
        std::vector<known_call> made;
        for (const char *expression :
             {"mn=mk*kn", "nm=mk*kn", "m=mk*k", "abcd=aebf*dfce", "cab=dca*bd", "abn=ank*knb",
              "mn=ma*ab*bn", "cba=abc", "ac=abbc", "=mk*mk", "ab=-2*ac*cb"})
            made.push_back(make_call(expression));
        return made;
    }();
    return all;
}

/// Counts errors, because GoogleTest's own reports would make the threads wait for each other.
class fault_count {
public:
    void expect(bool right, const std::string &what) {
        if (right)
            return;
        const std::lock_guard lock(mutex_);
        ++faults_[what];
    }
    void report() const {
        for (const auto &[what, times] : faults_)
            ADD_FAILURE() << what << ": " << times << " times";
    }

private:
    std::mutex mutex_;
    std::map<std::string, int> faults_;
};

/// Runs body(thread, its own random numbers) on all threads, which start together.
template <class Body> void on_all_threads(int test_case, const Body &body) {
    std::barrier start(thread_count);
    std::vector<std::thread> threads;
    for (int t = 0; t < thread_count; ++t)
        threads.emplace_back([&, t] {
            random_source random(test_case * thread_count + t);
            start.arrive_and_wait();
            body(t, random);
        });
    for (std::thread &one : threads)
        one.join();
}

contract_options random_options(random_source &random, const context &ctx) {
    contract_options options{.ctx = &ctx};
    options.threads = static_cast<int>(random.integer(0, 3));
    if (random.chance(0.3))
        options.algorithm = random.pick(
            std::vector{algorithm::ttgt, algorithm::gemm_loop, algorithm::loops, algorithm::fused});
    if (random.chance(0.2))
        options.workspace_limit = kib(random.pick(std::vector<index_t>{32, 64, 512}));
    if (random.chance(0.2))
        options.reproducible = true;
    return options;
}

/// Returns true if body() succeeds, or if it refuses an algorithm or a workspace limit that it
/// cannot keep; false for any other error.
template <class Body> bool done_or_refused(const Body &body) {
    try {
        body();
        return true;
    } catch (const error &refused) {
        return refused.code() == errc::unsupported || refused.code() == errc::workspace_too_small;
    }
}

TEST(SharedContext, ThreadsPlanAndComputeAtOnce) {
    static_cast<void>(known_calls());
    for (const int test_case : cases(4)) {
        SCOPED_TRACE(rerun_line(test_case));
        settings few;
        few.threads = 2;
        few.plan_cache_limit = {128 << 10}; // not all calls fit: plans are evicted while in use
        const context ctx(few);
        fault_count faults;
        on_all_threads(test_case, [&](int, random_source &random) {
            for (int i = 0; i < 60; ++i) {
                const known_call &call = random.pick(known_calls());
                const contract_options options = random_options(random, ctx);
                tensor<double> d(call.result.shape().extents());
                bool computed = false;
                const bool expected = done_or_refused([&] {
                    if (random.chance(0.7)) {
                        contract(call.expression, call.operands(), d, options);
                    } else {
                        const contraction_plan plan =
                            make_plan(call.expression, call.operands(), d, options);
                        std::vector<const void *> data;
                        for (const tensor<double> &one : call.inputs)
                            data.push_back(one.data());
                        std::vector<std::byte> own;
                        if (random.chance(0.5))
                            own.resize(static_cast<std::size_t>(plan.workspace_size().value) + 64);
                        plan.execute(1.0, data, 0.0, nullptr, d.data(), own).throw_if_failed();
                    }
                    computed = true;
                });
                faults.expect(expected, call.expression + " was refused");
                if (computed)
                    faults.expect(call.is_result(d), call.expression + " is wrong");
                if (random.chance(0.05))
                    base::pool_of(ctx).release();
            }
        });
        faults.report();
        EXPECT_LE(base::plans_of(ctx).size(), 32U);
    }
}

/// Tuned plans share wisdom and its file; measurements wait for each other.
TEST(SharedContext, ThreadsTuneAtOnce) {
    static_cast<void>(known_calls());
    temporary_folder folder;
    settings learning;
    learning.threads = 2;
    learning.wisdom = folder.file("wisdom");
    const context ctx(learning);
    fault_count faults;
    on_all_threads(0, [&](int thread, random_source &random) {
        for (int i = 0; i < 20; ++i) {
            const known_call &call = known_calls()[static_cast<std::size_t>((thread + i) % 4)];
            tensor<double> d(call.result.shape().extents());
            const contract_options options{
                .tuning = random.chance(0.5) ? tuning::measure : tuning::estimate, .ctx = &ctx};
            const bool expected =
                done_or_refused([&] { contract(call.expression, call.operands(), d, options); });
            faults.expect(expected, call.expression + " was refused");
            faults.expect(call.is_result(d), call.expression + " is wrong");
            tensor<double> turned({40, 33});
            transpose("km=mk", known_calls()[0].inputs[0], turned,
                      {.tuning = options.tuning, .ctx = &ctx});
            bool right = true;
            for (index_t m = 0; m < 33; ++m)
                for (index_t k = 0; k < 40; ++k)
                    right = right && turned(k, m) == known_calls()[0].inputs[0](m, k);
            faults.expect(right, "km=mk is wrong");
        }
    });
    faults.report();
}

/// Contexts are made and destroyed beside one that stays; each reads the machine and its rates.
TEST(SharedContext, ContextsComeAndGo) {
    static_cast<void>(known_calls());
    const context stays{settings{}};
    fault_count faults;
    on_all_threads(0, [&](int, random_source &random) {
        for (int i = 0; i < 12; ++i) {
            settings wanted;
            wanted.threads = static_cast<int>(random.integer(1, 2));
            wanted.plan_cache_limit = {random.integer(0, 30) << 10};
            const auto passing = std::make_unique<context>(wanted);
            for (const context *one : std::initializer_list<const context *>{passing.get(), &stays,
                                                                             &context::global()}) {
                const known_call &call = random.pick(known_calls());
                tensor<double> d(call.result.shape().extents());
                contract(call.expression, call.operands(), d, {.ctx = one});
                faults.expect(call.is_result(d), call.expression + " is wrong");
                faults.expect(!one->rates_reason().empty(), "no reason for the rates");
            }
        }
    });
    faults.report();
}

} // namespace
} // namespace tenfold::testing
