// Tests shapes without reuse, and operands that must not be read.
#include "gemm/matrices.hpp"

namespace tenfold::testing {
namespace {

using gemm_impl::gemm_form;
using gemm_impl::gemm_plan;
using gemm_impl::gemm_shape;

template <class T> void run_random(random_source &random, index_t m, index_t n, index_t k) {
    const gemm_shape s = random_shape(random, m, n, k);
    const gemm_case<T> c(s, random_scalar<T>(random), random_scalar<T>(random), random);
    auto options =
        plan_options(random.pick(this_machine().isas), static_cast<int>(random.integer(1, 4)));
    if (random.chance(0.5))
        options.whole.d = 1 << 30; // D bypasses the caches wherever that is possible
    c.check(gemm_plan(c.shape, options));
}

TEST(gemm_degenerate, vectors_and_outer_products) {
    for (const int i : cases(600)) {
        SCOPED_TRACE(rerun_line(i));
        random_source random(i);
        const auto extent = [&] { return random.integer(1, random.chance(0.3) ? 1500 : 40); };
        for_each_type([&]<class T>(T) {
            switch (i % 4) {
            case 0:
                return run_random<T>(random, 1, extent(), random.integer(1, 200));
            case 1:
                return run_random<T>(random, extent(), 1, random.integer(1, 200));
            case 2:
                return run_random<T>(random, random.integer(2, 200), random.integer(2, 60), 1);
            default:
                return run_random<T>(random, 1, 1, extent());
            }
        });
        if (HasFailure())
            return;
    }
}

TEST(gemm_degenerate, adjoining_columns_of_outer_products) {
    random_source random(2);
    for_each_type([&]<class T>(T) {
        for (const isa which : this_machine().isas)
            for (const index_t m : {2, 3, 8, 12, 17, 31, 64, 200, 511, 600})
                for (const index_t n : {m, index_t{700}, index_t{2049}})
                    for (const double beta : {0.0, 1.0}) {
                        gemm_shape s;
                        s.m = m;
                        s.n = std::max(m, n);
                        s.k = 1;
                        s.row_stride_a = random.chance(0.8) ? 1 : 2;
                        s.column_stride_b = random.integer(-1, 2);
                        s.row_stride_d = 1;
                        s.column_stride_d = m;
                        s.conj_a = random.chance(0.3);
                        const gemm_case<T> c(s, random.chance(0.5) ? 1.0 : -2.0, beta, random);
                        auto options = plan_options(which, static_cast<int>(random.integer(1, 3)));
                        for (const index_t whole :
                             {index_t{0}, index_t{1} << 30}) { // caches, memory
                            options.whole.d = static_cast<double>(whole);
                            const gemm_plan plan(c.shape, options);
                            EXPECT_EQ(plan.form(), gemm_form::outer);
                            c.check(plan);
                        }
                    }
    });
}

TEST(gemm_degenerate, long_sums_do_not_depend_on_the_threads) {
    random_source random(3);
    for_each_type([&]<class T>(T) {
        for (const index_t m : {1, 3, 130})
            for (const bool rows : {true, false}) {
                const index_t k = m == 1 ? 100'003 : 20'011;
                gemm_shape s;
                s.m = m;
                s.n = 1;
                s.k = k;
                s.row_stride_a = rows ? k : 1;
                s.column_stride_a = rows ? 1 : m;
                s.row_stride_b = 1;
                s.row_stride_d = 1;
                gemm_case<T> c(s, 1.0, 0.0, random);
                for (index_t p = 0; p < k; ++p) // not integers: every order rounds differently
                    c.b.at(p, 0) =
                        static_cast<T>(static_cast<decltype(std::real(T{}))>(random.real()));
                const isa best = this_machine().best_isa();
                const auto first = c.computed(gemm_plan(c.shape, plan_options(best, 1)));
                for (const int threads : {2, 3, 4}) {
                    const auto other = c.computed(gemm_plan(c.shape, plan_options(best, threads)));
                    EXPECT_TRUE(first.same_bits(other)) << "m " << m << ", rows " << rows;
                }
            }
    });
}

TEST(gemm_degenerate, every_way_through_a_adds_up_the_same) {
    random_source random(4);
    for_each_type([&]<class T>(T) {
        for (const isa which : this_machine().isas)
            for (const index_t m : {1, 7, 40, 129, 1100}) // a few bytes to more than a page
                for (const index_t k : {1, 5, 8, 13, 70, 1100})
                    for (const bool rows : {true, false}) {
                        gemm_shape s;
                        s.m = m;
                        s.n = 1;
                        s.k = k;
                        s.row_stride_a = rows ? k + 3 : 1;
                        s.column_stride_a = rows ? 1 : m + 3;
                        s.row_stride_b = 1;
                        s.row_stride_d = 1;
                        gemm_case<T> c(s, 1.0, 0.5, random);
                        for (index_t p = 0; p < k; ++p) // not integers
                            c.b.at(p, 0) = static_cast<T>(
                                static_cast<decltype(std::real(T{}))>(random.real()));
                        auto options = plan_options(which);
                        options.packs_small = true;
                        const auto in_cache = c.computed(gemm_plan(c.shape, options));
                        options.whole.a = 1 << 30;
                        const auto from_memory = c.computed(gemm_plan(c.shape, options));
                        EXPECT_TRUE(in_cache.same_bits(from_memory))
                            << name(which) << ", " << m << " x " << k << ", rows " << rows;
                    }
    });
}

TEST(gemm_degenerate, forms) {
    const auto form = [](index_t m, index_t n, index_t k) {
        return gemm_plan({data_type::f64, m, n, k, 1, m, 1, k, 1, m},
                         plan_options(this_machine().best_isa()))
            .form();
    };
    EXPECT_EQ(form(0, 5, 5), gemm_form::nothing);
    EXPECT_EQ(form(5, 0, 5), gemm_form::nothing);
    EXPECT_EQ(form(5, 5, 0), gemm_form::scale);
    EXPECT_EQ(form(1, 1, 5), gemm_form::dot);
    EXPECT_EQ(form(1, 5, 5), gemm_form::gemv);
    EXPECT_EQ(form(5, 1, 5), gemm_form::gemv);
    EXPECT_EQ(form(5, 5, 1), gemm_form::outer);
    EXPECT_EQ(form(300, 300, 2), gemm_form::packed);
}

TEST(gemm_degenerate, empty_sum_scales_without_reading_inputs) {
    random_source random(1);
    for_each_type([&]<class T>(T) {
        for (const double beta : {0.0, 1.0, 2.0})
            for (const index_t k : {0, 7})
                for (const auto &[m, n] : {std::pair<index_t, index_t>{7, 300}, {1, 9}, {1, 1}}) {
                    gemm_shape s = random_shape(random, m, n, k);
                    // k = 0 with any alpha; alpha = 0 with any k.
                    const gemm_case<T> c(s, k == 0 ? 3.0 : 0.0, beta, random);
                    const gemm_plan plan(c.shape, plan_options(this_machine().best_isa(), 2));
                    auto d = c.d;
                    plan.execute({c.alpha, nullptr, nullptr, c.beta, d.data()});
                    EXPECT_TRUE(d.same_bits(c.expected())) << m << ' ' << n << ' ' << k;
                }
    });
}

} // namespace
} // namespace tenfold::testing
