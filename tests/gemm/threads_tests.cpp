// Tests teams, concurrency, and the process's OpenMP settings.
#include <atomic>
#include <thread>

#include <omp.h>

#include "gemm/matrices.hpp"

#include <tenfold/gemm.hpp>

namespace tenfold::testing {
namespace {

using gemm_impl::gemm_plan;
using gemm_impl::gemm_shape;

gemm_shape dense(index_t m, index_t n, index_t k) {
    return {data_type::f64, m, n, k, 1, m, 1, k, 1, m};
}

TEST(gemm_threads, one_plan_executed_by_many) {
    random_source random(0);
    const gemm_case<double> c(dense(210, 190, 300), 1.0, 0.0, random);
    const gemm_plan plan(c.shape, plan_options(this_machine().best_isa(), 2));
    const auto expected = c.expected();
    std::atomic<int> wrong = 0;
    std::vector<std::thread> callers;
    for (int t = 0; t < 4; ++t)
        callers.emplace_back([&] {
            for (int i = 0; i < 5; ++i)
                wrong += c.computed(plan).same_bits(expected) ? 0 : 1;
        });
    for (std::thread &one : callers)
        one.join();
    EXPECT_EQ(wrong, 0);
}

TEST(gemm_threads, result_is_the_same_for_any_number) {
    random_source random(1);
    for_each_type([&]<class T>(T) {
        for (const auto &[m, n, k] : {std::array<index_t, 3>{150, 170, 500},
                                      {20, 900, 310},
                                      {900, 20, 310},
                                      {30, 30, 9000},
                                      {3, 40, 5001}}) {
            gemm_case<T> c(dense(m, n, k), 1.0, 0.0, random);
            for (index_t p = 0; p < k; ++p)
                for (index_t j = 0; j < n; ++j)
                    c.b.at(p, j) =
                        static_cast<T>(static_cast<decltype(std::real(T{}))>(random.real()));
            const isa best = this_machine().best_isa();
            const auto first = c.computed(gemm_plan(c.shape, plan_options(best, 1)));
            for (const int threads : {2, 3, 4, 7})
                EXPECT_TRUE(
                    first.same_bits(c.computed(gemm_plan(c.shape, plan_options(best, threads)))))
                    << m << ' ' << n << ' ' << k << " on " << threads;
        }
    });
}

TEST(gemm_threads, teams_of_every_size_are_right) {
    random_source random(2);
    for (int threads = 1; threads <= 8; ++threads)
        for (const auto &[m, n] :
             {std::pair<index_t, index_t>{400, 30}, {30, 400}, {200, 200}, {5, 2000}}) {
            const gemm_case<double> c(dense(m, n, 301), 1.0, 1.0, random);
            c.check(gemm_plan(c.shape, plan_options(this_machine().best_isa(), threads)));
        }
}

TEST(gemm_threads, a_team_smaller_than_asked_for) {
    // Inside a parallel region a call gets one thread, although its plan was made for four.
    random_source random(3);
    const gemm_case<double> c(dense(200, 150, 400), 1.0, 0.0, random);
    const gemm_plan plan(c.shape, plan_options(this_machine().best_isa(), 4));
    ASSERT_GT(plan.threads(), 1);
    const auto expected = c.expected();
    std::atomic<int> wrong = 0;
#pragma omp parallel num_threads(2)
    wrong += c.computed(plan).same_bits(expected) ? 0 : 1;
    EXPECT_EQ(wrong, 0);
}

TEST(gemm_threads, openmp_settings_stay_as_they_were) {
    const int threads = omp_get_max_threads();
    const int dynamic = omp_get_dynamic();
    const int levels = omp_get_max_active_levels();
    omp_sched_t kind{};
    int chunk = 0;
    omp_get_schedule(&kind, &chunk);

    random_source random(4);
    const gemm_case<double> c(dense(220, 210, 200), 1.0, 0.0, random);
    auto options = plan_options(this_machine().best_isa(), 3);
    c.check(gemm_plan(c.shape, options));
#if defined(TENFOLD_HAVE_BLIS)
    options.back = backend::blis;
    c.check(gemm_plan(c.shape, options));
#endif

    EXPECT_EQ(omp_get_max_threads(), threads);
    EXPECT_EQ(omp_get_dynamic(), dynamic);
    EXPECT_EQ(omp_get_max_active_levels(), levels);
    omp_sched_t kind_after{};
    int chunk_after = 0;
    omp_get_schedule(&kind_after, &chunk_after);
    EXPECT_EQ(kind_after, kind);
    EXPECT_EQ(chunk_after, chunk);
}

TEST(gemm_threads, grid_follows_the_shape) {
    const gemm_impl::blocking blocks{24, 8, 256, 240, 4096};
    EXPECT_EQ(gemm_impl::choose_grid(4, 2000, 2000, blocks).m, 4);
    EXPECT_EQ(gemm_impl::choose_grid(4, 24, 4000, blocks).n, 4);
    EXPECT_EQ(gemm_impl::choose_grid(1, 24, 4000, blocks).n, 1);
}

} // namespace
} // namespace tenfold::testing
