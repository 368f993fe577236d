// Tests execution_control: progress and stops of contractions, transpositions and products.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <tenfold/tenfold.hpp>

namespace tenfold {
namespace {

/// Integers, so that results are exact.
tensor<double> filled(extents_t extents, int seed) {
    tensor<double> made(std::move(extents));
    for (index_t i = 0; i < made.size(); ++i)
        made.data()[i] = static_cast<double>((i * 7 + seed) % 11 - 5);
    return made;
}

bool equal(const tensor<double> &x, const tensor<double> &y) {
    return std::equal(x.data(), x.data() + x.size(), y.data(), y.data() + y.size());
}

struct listener {
    std::vector<double> told;
    std::stop_source source;
    execution_control control{[this](double done) { told.push_back(done); }, source.get_token(),
                              std::chrono::milliseconds(0)};

    /// The reported shares never fall and end with 1. They are reported during the work: no step is
    /// larger than three quarters of it, and at most three reports say that all is done.
    void expect_sensible(std::size_t at_least) const {
        ASSERT_GE(told.size(), at_least);
        EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
        EXPECT_GT(told.front(), 0);
        EXPECT_EQ(told.back(), 1);
        double largest = told.front();
        for (std::size_t i = 1; i < told.size(); ++i)
            largest = std::max(largest, told[i] - told[i - 1]);
        EXPECT_LT(largest, 0.75);
        const auto whole =
            std::count_if(told.begin(), told.end(), [](double done) { return done > 1 - 1e-9; });
        EXPECT_LE(whole, 3) << "told as done long before the end";
    }
};

/// A contraction that takes some milliseconds, one for each algorithm.
struct contraction_case {
    const char *expression;
    extents_t a, b, d;
    algorithm how;
};

const contraction_case all_ways[] = {
    {"mn=mk*kn", {600, 500}, {500, 400}, {600, 400}, algorithm::direct},
    {"mnl=mkl*knl", {60, 50, 40}, {50, 70, 40}, {60, 70, 40}, algorithm::gemm_loop},
    {"abcd=aebf*dfce", {24, 16, 20, 18}, {22, 18, 26, 16}, {24, 20, 26, 22}, algorithm::ttgt},
    {"abcd=aebf*dfce", {24, 16, 20, 18}, {22, 18, 26, 16}, {24, 20, 26, 22}, algorithm::fused},
    {"abc=abc*abc", {60, 50, 70}, {60, 50, 70}, {60, 50, 70}, algorithm::loops},
    {"mn=mk*kn", {60, 50}, {50, 40}, {60, 40}, algorithm::reference},
    {"mn=mk*kn", {300, 2500}, {2500, 400}, {300, 400}, algorithm::leaves},
    {"mnl=mkl*knl", {60, 50, 40}, {50, 70, 40}, {60, 70, 40}, algorithm::leaves},
    {"abcd=aebf*dfce", {24, 16, 20, 18}, {22, 18, 26, 16}, {24, 20, 26, 22}, algorithm::leaves},
    {"mn=mxk*kn", {60, 40, 500}, {500, 400}, {60, 400}, algorithm::leaves},
    {"a=abc*abc", {60, 50, 90}, {60, 50, 90}, {60}, algorithm::leaves},
};

/// Calls use(case, a, b, expected, options) for every algorithm on one thread and on two.
template <class Use> void for_each_way(const Use &use) {
    for (const contraction_case &one : all_ways)
        for (const int threads : {1, 2}) {
            SCOPED_TRACE(std::string(name(one.how)) + ", " + one.expression + ", threads " +
                         std::to_string(threads));
            const tensor<double> a = filled(one.a, 1);
            const tensor<double> b = filled(one.b, 2);
            tensor<double> expected(one.d);
            const contract_options options{.algorithm = one.how,
                                           .threads = threads,
                                           .reproducible = one.how == algorithm::leaves};
            contract(one.expression, a, b, expected, options);
            use(one, a, b, expected, options);
        }
}

TEST(Control, progress_of_every_algorithm) {
    for_each_way([](const contraction_case &one, const tensor<double> &a, const tensor<double> &b,
                    const tensor<double> &expected, contract_options options) {
        tensor<double> d(one.d);

        listener heard;
        const auto caller = std::this_thread::get_id();
        heard.control.progress = [&](double done) {
            EXPECT_EQ(std::this_thread::get_id(), caller);
            heard.told.push_back(done);
        };
        options.control = &heard.control;
        contract(one.expression, a, b, d, options);
        heard.expect_sensible(4);
        EXPECT_TRUE(equal(d, expected)) << "watching changes no bit";
    });
}

TEST(Control, loops_within_loops_are_not_all_told) {
    // A million products in three loops: telling of each would take longer than multiplying.
    const tensor<double> a = filled({2, 64, 30, 20, 16}, 1), b = filled({30, 20, 16, 64, 2}, 2);
    tensor<double> d({16, 30, 64, 20, 2});
    for (const algorithm how : {algorithm::fused, algorithm::ttgt, algorithm::gemm_loop}) {
        listener heard;
        contract("eacbd=dcabe*abecd", a, b, d,
                 {.algorithm = how, .threads = 1, .control = &heard.control});
        EXPECT_LE(heard.told.size(), 10000) << name(how);
    }
}

TEST(Control, a_stop_on_the_way_ends_every_algorithm_and_harms_nothing) {
    for_each_way([](const contraction_case &one, const tensor<double> &a, const tensor<double> &b,
                    const tensor<double> &expected, contract_options options) {
        tensor<double> d(one.d);

        listener heard;
        heard.control.progress = [&](double done) {
            heard.told.push_back(done);
            heard.source.request_stop();
        };
        options.control = &heard.control;
        try {
            contract(one.expression, a, b, d, options);
            ADD_FAILURE() << "not stopped";
        } catch (const error &e) {
            EXPECT_EQ(e.code(), errc::stopped);
        }
        EXPECT_LT(heard.told.back(), 1) << "stopped on the way, not after it";

        options.control = nullptr;
        contract(one.expression, a, b, d, options);
        EXPECT_TRUE(equal(d, expected)) << "the same call afterwards";
    });
}

TEST(Control, a_watched_sum_has_the_same_bits) {
    // k and l are no single mode in B, D is part of a register, and a sum does not round alike if
    // it is divided elsewhere.
    const auto thirds = [](extents_t extents) {
        tensor<double> made(std::move(extents));
        for (index_t i = 0; i < made.size(); ++i)
            made.data()[i] = 1 / static_cast<double>(3 + i % 1000);
        return made;
    };
    const tensor<double> a = thirds({3, 2, 20000}), b = thirds({2, 5, 20000});
    tensor<double> d({3, 5}), watched({3, 5});
    contract_options options{.algorithm = algorithm::gemm_loop, .threads = 1};
    contract("ab=akl*kbl", a, b, d, options);
    listener heard;
    options.control = &heard.control;
    contract("ab=akl*kbl", a, b, watched, options);
    EXPECT_TRUE(equal(d, watched));
}

TEST(Control, a_stop_before_the_call_leaves_the_output) {
    const tensor<double> a = filled({8, 9}, 1);
    const tensor<double> b = filled({9, 7}, 2);
    tensor<double> d = filled({8, 7}, 3);
    const tensor<double> before = filled({8, 7}, 3);
    listener heard;
    heard.source.request_stop();
    const auto code_of = [](const std::function<void()> &call) {
        try {
            call();
        } catch (const error &e) {
            return e.code();
        }
        return errc::ok;
    };
    EXPECT_EQ(code_of([&] { contract("mn=mk*kn", a, b, d, {.control = &heard.control}); }),
              errc::stopped);
    EXPECT_EQ(
        code_of([&] {
            contract("mn=mk*kl*ln", {a, b, filled({7, 7}, 4)}, d, {.control = &heard.control});
        }),
        errc::stopped);
    EXPECT_EQ(code_of([&] {
                  tensor<double> t({7, 8});
                  transpose("nm=mn", before, t, {.control = &heard.control});
              }),
              errc::stopped);
    EXPECT_TRUE(heard.told.empty());
    EXPECT_TRUE(equal(d, before));

    const contraction_plan plan = make_plan("mn=mk*kn", a, b, d);
    EXPECT_EQ(
        plan.execute(1.0, a.data(), b.data(), 0.0, d.data(), d.data(), {}, &heard.control).code(),
        errc::stopped);
    EXPECT_TRUE(equal(d, before));
}

TEST(Control, a_stop_by_another_thread) {
    const tensor<double> a = filled({1500, 1500}, 1);
    tensor<double> d({1500, 1500});
    listener heard;
    std::atomic<bool> begun{false};
    heard.control.progress = [&](double) { begun = true; };
    std::thread other([&] {
        while (!begun)
            std::this_thread::yield();
        heard.source.request_stop();
    });
    // Repeats until the other thread stops it during the work, however late that thread is.
    errc found = errc::ok;
    while (found == errc::ok)
        try {
            contract("mn=mk*kn", a, a, d, {.control = &heard.control});
        } catch (const error &e) {
            found = e.code();
        }
    other.join();
    EXPECT_EQ(found, errc::stopped);
}

TEST(Control, what_progress_throws_comes_out_of_the_call) {
    const tensor<double> a = filled({100, 100}, 1);
    tensor<double> d({100, 100});
    const execution_control control{.progress = [](double) { throw std::domain_error("mine"); },
                                    .stop = {},
                                    .interval = std::chrono::milliseconds(0)};
    EXPECT_THROW(contract("mn=mk*kn", a, a, d, {.control = &control}), std::domain_error);
    EXPECT_THROW(transpose("nm=mn", a, d, {.control = &control}), std::domain_error);
    const contraction_plan plan = make_plan("mn=mk*kn", a, a, d);
    EXPECT_EQ(plan.execute(1.0, a.data(), a.data(), 0.0, d.data(), d.data(), {}, &control).code(),
              errc::stopped);
}

TEST(Control, progress_may_call_the_library) {
    const tensor<double> a = filled({300, 300}, 1);
    tensor<double> d({300, 300}), expected({300, 300}), other({300, 300});
    contract("mn=mk*kn", a, a, expected);
    listener heard;
    heard.control.progress = [&](double done) {
        heard.told.push_back(done);
        contract("mn=mk*kn", a, a, other);
    };
    contract("mn=mk*kn", a, a, d, {.control = &heard.control});
    heard.expect_sensible(2);
    EXPECT_TRUE(equal(d, expected));
    EXPECT_TRUE(equal(other, expected));
}

TEST(Control, sequences_and_copies_of_c) {
    const tensor<double> a = filled({600, 600}, 1);
    const tensor<double> c = filled({600, 600}, 5);
    tensor<double> d({600, 600}), expected({600, 600});
    contract("mn=mk*kl*ln", {a, a, a}, expected);
    listener heard;
    contract("mn=mk*kl*ln", {a, a, a}, d, {.control = &heard.control});
    heard.expect_sensible(4);
    EXPECT_TRUE(equal(d, expected));

    contract("mn=mk*kn", a, a, c, expected, {.beta = 2.0});
    listener other;
    contract("mn=mk*kn", a, a, c, d, {.beta = 2.0, .control = &other.control});
    other.expect_sensible(4);
    EXPECT_TRUE(equal(d, expected));
}

TEST(Control, transpositions) {
    const tensor<double> a = filled({140, 100, 120}, 1);
    tensor<double> b({120, 140, 100}), expected({120, 140, 100});
    transpose("cab=abc", a, expected);
    for (const int threads : {1, 2}) {
        listener heard;
        transpose("cab=abc", a, b, {.threads = threads, .control = &heard.control});
        heard.expect_sensible(4);
        EXPECT_TRUE(equal(b, expected));
    }
    listener heard;
    heard.control.progress = [&](double) { heard.source.request_stop(); };
    EXPECT_THROW(transpose("cab=abc", a, b, {.control = &heard.control}), error);
    transpose("cab=abc", a, b);
    EXPECT_TRUE(equal(b, expected));
}

TEST(Control, products_and_batches) {
    const tensor<double> a = filled({400, 400}, 1);
    tensor<double> c({400, 400}), expected({400, 400});
    const matrix_view<const double> view(a.data(), 400, 400);
    gemm(view, view, matrix_view<double>(expected.data(), 400, 400));
    settings several_blocks; // whatever the caches are
    several_blocks.blocking = {.kc = 128, .mc = 96, .nc = 128};
    const context ctx(several_blocks);
    listener heard;
    gemm(view, view, matrix_view<double>(c.data(), 400, 400),
         {.ctx = &ctx, .control = &heard.control});
    heard.expect_sensible(4);
    EXPECT_TRUE(equal(c, expected));

    const matrix_view<const double> small(a.data(), 40, 40);
    const auto batch = matrix_batch<const double>::strided(small, 100, 1600);
    listener each;
    gemm_batch(batch, batch,
               matrix_batch<double>::strided(matrix_view<double>(c.data(), 40, 40), 100, 1600),
               {.control = &each.control});
    each.expect_sensible(20);
    listener sum;
    gemm_batch_reduce(batch, batch, matrix_view<double>(c.data(), 40, 40),
                      {.control = &sum.control});
    EXPECT_EQ(sum.told.back(), 1);
    sum.source.request_stop();
    EXPECT_THROW(gemm_batch_reduce(batch, batch, matrix_view<double>(c.data(), 40, 40),
                                   {.control = &sum.control}),
                 error);
}

TEST(Control, plans_refuse_it_where_they_are_made) {
    const tensor<double> a = filled({4, 4}, 1);
    tensor<double> d({4, 4});
    const execution_control control;
    try {
        static_cast<void>(make_plan("mn=mk*kn", a, a, d, {.control = &control}));
        FAIL();
    } catch (const error &e) {
        EXPECT_EQ(e.code(), errc::invalid_argument);
        EXPECT_STREQ(e.what(), "make_plan() takes no control: give it to execute()");
    }
}

} // namespace
} // namespace tenfold
