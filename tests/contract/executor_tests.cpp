// Tests what an execution may use, and what it says it took.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <tenfold/tenfold.hpp>

#include "contract/random_problem.hpp"
#include "contract/reference/reference.hpp"
#include "support/random.hpp"

namespace tenfold::testing {
namespace {

tensor<double> filled(extents_t extents) {
    tensor<double> made(std::move(extents));
    for (index_t i = 0; i < made.size(); ++i)
        made.data()[i] = static_cast<double>(i * 7 % 11 - 5);
    return made;
}

bool equal(const tensor<double> &x, const tensor<double> &y) {
    return std::equal(x.data(), x.data() + x.size(), y.data(), y.data() + y.size());
}

TEST(ExecutionRecord, SaysWhatWasDone) {
    const tensor<double> a = filled({30, 20}), b = filled({20, 40}), c = filled({30, 40});
    tensor<double> d({30, 40});
    const contraction_plan plan = make_plan("ab=ak*kb", a, b, c, d, {.threads = 1});
    execution_record record;
    plan.execute(1.0, a.data(), b.data(), 0.0, nullptr, d.data(), {.record = &record})
        .throw_if_failed();
    EXPECT_EQ(record.algorithm, plan.summary().algorithm);
    EXPECT_EQ(record.flops, 2.0 * 30 * 20 * 40);
    EXPECT_EQ(record.bytes, 8.0 * (30 * 20 + 20 * 40 + 30 * 40));
    EXPECT_EQ(record.threads, 1);
    EXPECT_EQ(record.workspace.value, plan.workspace_size().value);
    EXPECT_GT(record.seconds, 0);
    EXPECT_LT(record.seconds, 10);

    plan.execute(0.0, nullptr, nullptr, 2.0, c.data(), d.data(), {.record = &record})
        .throw_if_failed();
    EXPECT_EQ(record.flops, 0);
    EXPECT_EQ(record.bytes, 8.0 * 2 * 30 * 40);
    EXPECT_EQ(record.workspace.value, 0);
    EXPECT_EQ(record.threads, 1);
}

TEST(ExecutionRecord, OfOneCall) {
    const tensor<double> a = filled({30, 20}), b = filled({20, 40});
    tensor<double> d({30, 40});
    for (int call = 0; call < 2; ++call) { // planned, then found
        execution_record record;
        contract("ab=ak*kb", a, b, d, {.record = &record});
        EXPECT_EQ(record.flops, 2.0 * 30 * 20 * 40);
        EXPECT_GT(record.seconds, 0);
    }
}

TEST(ExecutionRecord, OfManyInputs) {
    const tensor<double> a = filled({30, 20}), b = filled({20, 40}), e = filled({40, 10});
    tensor<double> d = filled({30, 10});
    const contraction_plan plan = make_plan("ad=ab*bc*cd", {a, b, e}, d);
    execution_record record;
    const std::array<const void *, 3> inputs{a.data(), b.data(), e.data()};
    plan.execute(1.0, inputs, 1.0, d.data(), d.data(), {.record = &record}).throw_if_failed();
    EXPECT_EQ(record.flops, plan.summary().flops);
    EXPECT_EQ(record.bytes, 8.0 * (30 * 20 + 20 * 40 + 40 * 10 + 2 * 30 * 10));
    EXPECT_EQ(record.workspace.value, plan.workspace_size().value);
    plan.execute(0.0, inputs, 1.0, d.data(), d.data(), {.record = &record}).throw_if_failed();
    EXPECT_EQ(record.flops, 0);
    EXPECT_EQ(record.bytes, 8.0 * 2 * 30 * 10);
}

TEST(ExecutionRecord, CountsThreads) {
    const tensor<double> a = filled({300, 400}), b = filled({400, 300});
    tensor<double> d({300, 300});
    const contraction_plan plan = make_plan("ab=ak*kb", a, b, d, {.threads = 3});
    execution_record record;
    for (const int threads : {0, 3, 2, 1, 64}) {
        plan.execute(1.0, a.data(), b.data(), 0.0, nullptr, d.data(),
                     {.threads = threads, .record = &record})
            .throw_if_failed();
        EXPECT_EQ(record.threads, threads == 0 ? 3 : std::min(threads, 3));
    }
}

TEST(ExecutionRecord, IsEmptyAfterAFailure) {
    const tensor<double> a = filled({30, 20}), b = filled({20, 40});
    tensor<double> d({30, 40});
    const contraction_plan plan = make_plan("ab=ak*kb", a, b, d);
    execution_record record{1, algorithm::ttgt, 2, 3, 4, bytes(5)};
    EXPECT_EQ(
        plan.execute(1.0, nullptr, b.data(), 0.0, nullptr, d.data(), {.record = &record}).code(),
        errc::null_pointer);
    EXPECT_EQ(record.seconds, 0);
    EXPECT_EQ(record.flops, 0);
    EXPECT_EQ(record.threads, 0);
    EXPECT_EQ(record.workspace.value, 0);
}

TEST(ExecutionRecord, IsNoOptionOfAPlan) {
    const tensor<double> a({3, 2}), b({2, 4});
    tensor<double> d({3, 4});
    execution_record record;
    EXPECT_THROW(static_cast<void>(make_plan("ab=ak*kb", a, b, d, {.record = &record})), error);
}

/// A plan with a workspace, and its tensors.
struct moved {
    tensor<double> a = filled({12, 10, 11, 9}), b = filled({8, 9, 7, 10}), d{{12, 11, 7, 8}},
                   expected{{12, 11, 7, 8}};
    contraction_plan plan;

    explicit moved(int threads = 2)
        : plan(make_plan("acbd=aecf*dfbe", a, b, d,
                         {.algorithm = algorithm::ttgt, .threads = threads})) {
        contract("acbd=aecf*dfbe", a, b, expected, {.algorithm = algorithm::reference});
    }
    status run(const executor &with) {
        return plan.execute(1.0, a.data(), b.data(), 0.0, nullptr, d.data(), with);
    }
    bool is_untouched() const {
        return std::all_of(d.data(), d.data() + d.size(), [](double x) { return x == 0; });
    }
};

TEST(Executor, LimitsTheWorkspace) {
    moved product;
    const byte_count needed = product.plan.workspace_size();
    ASSERT_GT(needed.value, 0);
    execution_record record;
    const status refused =
        product.run({.workspace_limit = bytes(needed.value - 1), .record = &record});
    EXPECT_EQ(refused.code(), errc::workspace_too_small);
    EXPECT_EQ(refused.message(), "the executor allows less workspace than the plan needs");
    EXPECT_TRUE(product.is_untouched());
    EXPECT_TRUE(product.run({.workspace_limit = needed}).ok());
    EXPECT_TRUE(equal(product.d, product.expected));
}

TEST(Executor, TakesTheCallersWorkspace) {
    moved product;
    std::vector<std::byte> own(static_cast<std::size_t>(product.plan.workspace_size().value) + 64,
                               std::byte{0x5a});
    EXPECT_TRUE(product.run({.workspace = own}).ok());
    EXPECT_TRUE(equal(product.d, product.expected));
    EXPECT_FALSE(std::ranges::all_of(own, [](std::byte one) { return one == std::byte{0x5a}; }));
}

TEST(Executor, FollowsAnotherContext) {
    moved product;
    settings wanted = settings::from_environment();
    wanted.threads = 1;
    const context one_thread(wanted);
    execution_record record;
    EXPECT_TRUE(product.run({.ctx = &one_thread, .record = &record}).ok());
    EXPECT_EQ(record.threads, 1);
    EXPECT_TRUE(equal(product.d, product.expected));

    wanted.workspace_limit = bytes(product.plan.workspace_size().value - 1);
    const context little(wanted);
    EXPECT_EQ(product.run({.ctx = &little}).code(), errc::workspace_too_small);
    EXPECT_TRUE(
        product.run({.workspace_limit = product.plan.workspace_size(), .ctx = &little}).ok());
}

TEST(Executor, RefusesBoundsOutOfRange) {
    moved product;
    EXPECT_EQ(product.run({.threads = -1}).code(), errc::invalid_argument);
    EXPECT_EQ(product.run({.threads = 4097}).code(), errc::invalid_argument);
    EXPECT_EQ(product.run({.workspace_limit = bytes(-1)}).code(), errc::invalid_argument);
    EXPECT_TRUE(product.is_untouched());
}

TEST(Executor, RefusesAnotherNumberOfInputs) {
    moved product;
    const std::array<const void *, 3> inputs{product.a.data(), product.b.data(), product.a.data()};
    EXPECT_EQ(
        product.plan.execute(1.0, inputs, 0.0, nullptr, product.d.data(), {.threads = 1}).code(),
        errc::invalid_argument);
    EXPECT_TRUE(product.is_untouched());
}

TEST(Executor, Stops) {
    moved product;
    std::stop_source source;
    source.request_stop();
    const execution_control control{{}, source.get_token()};
    EXPECT_EQ(product.run({.control = &control}).code(), errc::stopped);
    EXPECT_TRUE(product.is_untouched());
}

TEST(Executor, BoundsEachCallByItself) {
    moved product(3);
    execution_record of_one, of_all;
    std::thread other([&] {
        moved its(3);
        for (int i = 0; i < 50; ++i) {
            EXPECT_TRUE(its.run({.threads = 1, .record = &of_one}).ok());
            EXPECT_EQ(of_one.threads, 1);
        }
        EXPECT_TRUE(equal(its.d, its.expected));
    });
    for (int i = 0; i < 50; ++i)
        EXPECT_TRUE(product.run({.record = &of_all}).ok());
    other.join();
    EXPECT_GT(of_all.threads, 1);
    EXPECT_TRUE(equal(product.d, product.expected));
}

input as_input(const random_tensor &tensor, bool conjugate) {
    const input operand(tensor.type, tensor.data(), tensor.shape);
    return conjugate ? conj(operand) : operand;
}

/// Plans for several threads that run on fewer.
void check_fewer_threads(int count, std::int64_t most_products) {
    for (const int test_case : cases(count)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        random_problem problem = make_random_problem(random, most_products);
        const bool is_unary = problem.inputs.size() == 1;
        const auto run = [&](random_tensor &d, const contract_options &options, int threads) {
            std::vector<input> inputs{as_input(problem.inputs[0], problem.conjugate_a)};
            if (!is_unary)
                inputs.push_back(as_input(problem.inputs[1], problem.conjugate_b));
            const input c = as_input(problem.in_place ? d : problem.c, problem.conjugate_c);
            const contraction_plan plan =
                make_plan(problem.spec, inputs, c, output(d.type, d.data(), d.shape), options);
            execution_record record;
            const status done = plan.execute(
                problem.alpha, inputs[0].data(), is_unary ? nullptr : inputs[1].data(),
                problem.beta, c.data(), d.data(), {.threads = threads, .record = &record});
            EXPECT_TRUE(done.ok()) << done.message();
            if (threads > 0) {
                EXPECT_LE(record.threads, threads);
            }
        };
        contract_options options;
        options.diagonal_output = problem.diagonal_output;
        options.algorithm = algorithm::reference;
        random_tensor expected = problem.d;
        run(expected, options, 0);
        options.algorithm = algorithm::automatic;
        options.threads = static_cast<int>(random.integer(2, 8));
        options.reproducible = random.chance(0.3);
        const auto threads = static_cast<int>(random.integer(1, options.threads));
        SCOPED_TRACE(problem.describe() + ", planned for " + std::to_string(options.threads) +
                     " threads, on " + std::to_string(threads));
        random_tensor result = problem.d;
        run(result, options, threads);
        ASSERT_TRUE(same_values(result, expected));
    }
}

TEST(ExecutorRandom, FewerThreadsThanPlanned) { check_fewer_threads(1000, 4000); }

TEST(ExecutorRandom, FewerThreadsThanPlannedForLargerOnes) { check_fewer_threads(150, 5'000'000); }

/// Values whose sums are rounded, so that another order of summation would show.
TEST(Executor, KeepsReproducibleBits) {
    tensor<double> a({150, 700}), b({700, 120}), first({150, 120});
    for (index_t i = 0; i < a.size(); ++i)
        a.data()[i] = 1.0 / static_cast<double>(i % 1013 + 3);
    for (index_t i = 0; i < b.size(); ++i)
        b.data()[i] = 1.0 / static_cast<double>(i % 911 + 7);
    const contraction_plan plan =
        make_plan("ab=ak*kb", a, b, first, {.threads = 4, .reproducible = true});
    plan.execute(1.0, a.data(), b.data(), 0.0, nullptr, first.data()).throw_if_failed();
    for (const int threads : {1, 2, 3}) {
        tensor<double> d({150, 120});
        plan.execute(1.0, a.data(), b.data(), 0.0, nullptr, d.data(), {.threads = threads})
            .throw_if_failed();
        EXPECT_TRUE(equal(d, first)) << threads;
    }
}

} // namespace
} // namespace tenfold::testing
