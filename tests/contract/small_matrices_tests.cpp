// Tests that contract() multiplies small matrices at once, as their plan would.
#include <array>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <tenfold/tenfold.hpp>

#include "base/context_of.hpp"
#include "base/plan_cache.hpp"
#include "support/message_of.hpp"
#include "support/random.hpp"

namespace tenfold {
namespace {

using testing::random_source;

settings on_one_thread() {
    settings mine;
    mine.threads = 1;
    return mine;
}

/// A matrix in memory of its own, of either order, with or without gaps between its columns.
template <class T> struct placed_matrix {
    std::vector<T> memory;
    layout shape;

    placed_matrix(random_source &random, index_t rows, index_t columns) {
        const bool turned = random.chance(0.5);
        const index_t first = turned ? columns : rows, second = turned ? rows : columns;
        const index_t step = first + (random.chance(0.3) ? random.integer(1, 9) : 0);
        memory.resize(static_cast<std::size_t>(step * second));
        for (T &one : memory)
            one = T(static_cast<float>(random.real() - 0.5));
        shape = layout({rows, columns}, turned ? extents_t{step, 1} : extents_t{1, step});
    }
};

template <class T> void expect_what_plans_do(const context &ctx, random_source &random) {
    const auto extent = [&] { return random.integer(2, random.chance(0.2) ? 60 : 12); };
    const index_t m = extent(), n = extent(), k = extent();
    const bool turned_a = random.chance(0.5), turned_b = random.chance(0.5),
               turned_d = random.chance(0.5);
    placed_matrix<T> a(random, turned_a ? k : m, turned_a ? m : k),
        b(random, turned_b ? n : k, turned_b ? k : n),
        d(random, turned_d ? n : m, turned_d ? m : n);
    const std::string of_a = turned_a ? "kM" : "Mk", of_b = turned_b ? "nk" : "kn",
                      of_d = turned_d ? "nM" : "Mn";
    const std::string text =
        random.pick<std::string>({of_d + "=" + of_a + "*" + of_b, of_d + "-" + of_a + "-" + of_b,
                                  of_a + "," + of_b + "->" + of_d});
    const bool conj_a = random.chance(0.3), conj_b = random.chance(0.3);
    const auto given = [](data_type type, const placed_matrix<T> &from, bool conjugated) {
        const input plain(type, from.memory.data(), from.shape);
        return conjugated ? conj(plain) : plain;
    };
    const data_type type = data_type_of<T>;
    const input first = given(type, a, conj_a), second = given(type, b, conj_b);
    const scalar alpha = random.pick<scalar>({1.0, -0.75, 0.0});
    const scalar beta = random.pick<scalar>({0.0, 1.0, 0.5});

    std::vector<T> planned = d.memory;
    const auto plan =
        make_plan(text, first, second, output(type, planned.data(), d.shape), {.ctx = &ctx});
    plan.execute(alpha, first.data(), second.data(), beta, planned.data(), planned.data())
        .throw_if_failed();
    // Plans of specs, and executors, have no short cut.
    const output to(type, nullptr, d.shape);
    const auto whole = make_plan(parse(text), std::array{first, second}, to, to, {.ctx = &ctx});
    std::vector<T> by_whole = d.memory, by_executor = d.memory;
    whole.execute(alpha, first.data(), second.data(), beta, by_whole.data(), by_whole.data())
        .throw_if_failed();
    plan.execute(alpha, first.data(), second.data(), beta, by_executor.data(), by_executor.data(),
                 executor())
        .throw_if_failed();
    EXPECT_EQ(planned, by_whole) << text;
    EXPECT_EQ(planned, by_executor) << text;
    EXPECT_EQ(plan.explain(), whole.explain());
    EXPECT_EQ(plan.workspace_size(), whole.workspace_size());

    contract(text, first, second, output(type, d.memory.data(), d.shape),
             {.alpha = alpha, .beta = beta, .ctx = &ctx});
    EXPECT_EQ(std::memcmp(planned.data(), d.memory.data(), planned.size() * sizeof(T)), 0) << text;
    if (m * n * k > 32 * 32 * 32 || alpha == 0.0)
        return;
    EXPECT_EQ(plan.summary().algorithm, algorithm::direct) << plan.explain();
    EXPECT_NE(plan.explain().find("small"), std::string::npos) << plan.explain();
}

TEST(SmallMatrices, AreMultipliedAsTheirPlanDoes) {
    const context ctx(on_one_thread());
    for (const int i : testing::random_cases(600)) {
        SCOPED_TRACE(testing::rerun_line(i));
        random_source random(i);
        switch (random.integer(0, 3)) {
        case 0:
            expect_what_plans_do<float>(ctx, random);
            break;
        case 1:
            expect_what_plans_do<double>(ctx, random);
            break;
        case 2:
            expect_what_plans_do<c32>(ctx, random);
            break;
        default:
            expect_what_plans_do<c64>(ctx, random);
        }
    }
}

TEST(SmallMatrices, NeedNoPlan) {
    const context ctx(on_one_thread());
    tensor<double> a({4, 6}), b({6, 5}), d({4, 5}), turned({5, 4});
    contract("ab=ac*cb", a, b, d, {.ctx = &ctx});
    contract("ac,cb->ab", a, b, d, {.beta = 1.0, .ctx = &ctx});
    contract("ba=ac*cb", a, b, turned, {.ctx = &ctx});
    EXPECT_EQ(base::plans_of(ctx).size(), 0U);
    execution_record record;
    contract("ab=ac*cb", a, b, d, {.ctx = &ctx, .record = &record}); // a plan says what it took
    EXPECT_EQ(record.flops, 240);
    EXPECT_EQ(base::plans_of(ctx).size(), 1U);
}

TEST(SmallMatrices, MistakesAreFound) {
    const context ctx(on_one_thread());
    tensor<double> a({4, 6}), b({6, 5}), d({4, 5});
    tensor<float> narrow({4, 5});
    const auto refuse = [&](errc code, std::string_view text, const input &x, const input &y,
                            const output &to, contract_options options = {}) {
        options.ctx = &ctx;
        testing::message_of([&] { contract(text, x, y, to, options); }, code);
        if (code != errc::null_pointer && code != errc::overlap && options.alpha.imag() == 0)
            testing::message_of([&] { make_plan(text, x, y, to, options); }, code);
    };
    refuse(errc::extent_mismatch, "ab=ac*cb", a, a, d);
    refuse(errc::extent_mismatch, "ab=ac*cb", a, b, a);
    refuse(errc::order_mismatch, "ab=ac*cb", a, tensor<double>({6}), d);
    refuse(errc::type_mismatch, "ab=ac*cb", a, b, narrow);
    refuse(errc::type_mismatch, "ab=ac*cb", a, b, d, {.alpha = scalar(0, 1)});
    refuse(errc::invalid_argument, "ab=ac*cb", a, b, d, {.threads = -1});
    refuse(errc::null_pointer, "ab=ac*cb", input(data_type::f64, nullptr, a.shape()), b, d);
    refuse(errc::overlap, "ab=ac*cb", input(data_type::f64, d.data(), d.shape()),
           tensor<double>({5, 5}), d);
    refuse(errc::unknown_label, "ad=ac*cb", a, b, d);
    refuse(errc::syntax, "ab=ac.cb", a, b, d);
    refuse(errc::overlap, "ab=ac*cb", a, b,
           output(data_type::f64, d.data(), layout({4, 5}, {1, 2})));
    testing::message_of(
        [&] {
            make_plan("ab=ac*cb", a, b, output(data_type::f64, d.data(), layout({4, 5}, {1, 2})),
                      {.ctx = &ctx});
        },
        errc::overlap);
    testing::message_of([&] { make_plan("ab=ac*cb", a, b, d, {.alpha = 2.0, .ctx = &ctx}); },
                        errc::invalid_argument);
    testing::message_of([&] { make_plan("ab=ac*cb", a, b, d, {.beta = 1.0, .ctx = &ctx}); },
                        errc::invalid_argument);
}

TEST(SmallPlans, CheckTheirExecutions) {
    const context ctx(on_one_thread());
    tensor<double> a({4, 6}), b({6, 5}), c({4, 5}), d({4, 5});
    const auto plan = make_plan("ab=ac*cb", a, b, d, {.ctx = &ctx});
    const auto run = [&](scalar alpha, const double *from, scalar beta, const double *add,
                         double *to) { return plan.execute(alpha, from, b.data(), beta, add, to); };
    for (index_t i = 0; i < c.size(); ++i)
        c.data()[i] = static_cast<double>(i);
    EXPECT_TRUE(run(1.0, a.data(), 2.0, c.data(), d.data())); // A and B are 0
    for (index_t i = 0; i < c.size(); ++i)
        EXPECT_EQ(d.data()[i], 2.0 * static_cast<double>(i));
    EXPECT_TRUE(run(0.0, nullptr, 0.5, d.data(), d.data()));
    EXPECT_EQ(d.data()[3], 3.0);
    EXPECT_EQ(run(1.0, nullptr, 0.0, nullptr, d.data()).code(), errc::null_pointer);
    EXPECT_EQ(run(1.0, a.data(), 1.0, nullptr, d.data()).code(), errc::null_pointer);
    EXPECT_EQ(run(1.0, a.data(), 0.0, nullptr, a.data()).code(), errc::overlap);
    EXPECT_EQ(run(1.0, a.data(), 1.0, d.data() + 1, d.data()).code(), errc::overlap);
    EXPECT_EQ(run(scalar(0, 1), a.data(), 0.0, nullptr, d.data()).code(), errc::type_mismatch);
}

TEST(SmallPlans, AreDescribedOnceByAnyThread) {
    const context ctx(on_one_thread());
    tensor<double> a({4, 6}), b({6, 5}), d({4, 5});
    for (int repetition = 0; repetition < 50; ++repetition) {
        const auto plan = make_plan("ab=ac*cb", a, b, d, {.ctx = &ctx});
        std::array<const plan_summary *, 4> seen{};
        {
            std::vector<std::jthread> team;
            for (const plan_summary *&mine : seen)
                team.emplace_back([&mine, copy = plan] { mine = &copy.summary(); });
        }
        for (const plan_summary *one : seen)
            EXPECT_EQ(one, &plan.summary());
    }
}

} // namespace
} // namespace tenfold
