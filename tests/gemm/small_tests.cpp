// Tests the short cut for small products: its results, its bounds, and that it agrees with plans.
#include <gtest/gtest.h>

#include <tenfold/gemm.hpp>

#include "gemm/matrices.hpp"
#include "support/fenced.hpp"

namespace tenfold::testing {
namespace {

using gemm_impl::gemm_plan;
using gemm_impl::gemm_shape;

template <class T> matrix_view<const T> a_of(const gemm_case<T> &c) {
    return {c.a.data(), c.shape.m, c.shape.k, c.shape.row_stride_a, c.shape.column_stride_a};
}
template <class T> matrix_view<const T> b_of(const gemm_case<T> &c) {
    return {c.b.data(), c.shape.k, c.shape.n, c.shape.row_stride_b, c.shape.column_stride_b};
}

/// Runs gemm() on a case in a context.
template <class T>
guarded_matrix<T> multiplied(const gemm_case<T> &c, const context &ctx, int threads = 1) {
    guarded_matrix<T> result = c.d;
    gemm(a_of(c), b_of(c),
         matrix_view<T>{result.data(), c.shape.m, c.shape.n, c.shape.row_stride_d,
                        c.shape.column_stride_d},
         {.alpha = c.alpha,
          .beta = c.beta,
          .conj_a = c.shape.conj_a,
          .conj_b = c.shape.conj_b,
          .threads = threads,
          .ctx = &ctx});
    return result;
}

/// A context for each instruction set of this machine.
std::vector<std::unique_ptr<context>> contexts() {
    std::vector<std::unique_ptr<context>> all;
    for (const isa set : this_machine().isas) {
        settings chosen;
        chosen.isa = set;
        all.push_back(std::make_unique<context>(chosen));
    }
    return all;
}

/// Every instruction set gives the same, exact integers.
template <class T>
void check(const gemm_case<T> &c, const std::vector<std::unique_ptr<context>> &all) {
    const auto should = c.expected();
    for (const auto &ctx : all) {
        auto is = multiplied(c, *ctx);
        drop_negative_zeros(is, c.shape.m, c.shape.n);
        ASSERT_TRUE(is.same_bits(should))
            << name(ctx->isa()) << ' ' << name(data_type_of<T>) << ' ' << c.shape.m << ' '
            << c.shape.n << ' ' << c.shape.k << ", strides of A " << c.shape.row_stride_a << ' '
            << c.shape.column_stride_a << ", first difference at " << is.first_difference(should);
    }
}

/// Column-major or row-major matrices, some padded, which the short cut accepts, except for A
/// transposed relative to C.
gemm_shape plain_shape(random_source &random, index_t m, index_t n, index_t k) {
    const auto padding = [&] { return random.chance(0.5) ? 0 : random.integer(1, 5); };
    gemm_shape s;
    s.m = m;
    s.n = n;
    s.k = k;
    s.row_stride_a = s.row_stride_d = 1;
    s.column_stride_a = m + padding();
    s.column_stride_d = m + padding();
    s.row_stride_b = 1;
    s.column_stride_b = k + padding();
    if (random.chance(0.3))
        std::swap(s.row_stride_b, s.column_stride_b = n + padding());
    return random.chance(0.5) ? s : s.transposed();
}

TEST(GemmSmall, EveryExtentUpToTwoTiles) {
    const auto all = contexts();
    int number = 0;
    for (const index_t m : {1, 2, 3, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 33, 47, 48, 49, 97})
        for (const index_t n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 16, 17, 25})
            for (const index_t k : {1, 2, 5, 16}) {
                if (!runs(number++))
                    continue;
                SCOPED_TRACE(rerun_line(number - 1));
                random_source random(number - 1);
                for_each_type([&]<class T>(T) {
                    gemm_shape shape = plain_shape(random, m, n, k);
                    shape.conj_a = random.chance(0.5);
                    shape.conj_b = random.chance(0.5);
                    check(gemm_case<T>(shape, random_scalar<T>(random),
                                       random.chance(0.5) ? scalar{} : random_scalar<T>(random),
                                       random),
                          all);
                });
            }
}

TEST(GemmSmall, AnyStrides) {
    const auto all = contexts();
    for (const int number : cases(300)) {
        SCOPED_TRACE(rerun_line(number));
        random_source random(number);
        const index_t m = random.integer(1, 40);
        const index_t n = random.integer(1, 40);
        const index_t k = random.integer(1, 40);
        const gemm_shape shape = random_shape(random, m, n, k);
        for_each_type([&]<class T>(T) {
            check(gemm_case<T>(shape, random_scalar<T>(random), random_scalar<T>(random), random),
                  all);
        });
    }
}

/// Columns that evict each other from L1, and rows that are not adjacent: the product copies A.
TEST(GemmSmall, PagesApartAndTransposed) {
    const auto all = contexts();
    for (const int number : cases(60)) {
        SCOPED_TRACE(rerun_line(number));
        random_source random(number);
        const index_t m = random.integer(1, 70);
        const index_t n = random.integer(1, 70);
        const index_t k = random.integer(1, 70);
        const index_t step = random.pick<index_t>({256, 512, 1024, 1536});
        gemm_shape shape{data_type::f64, m, n, k, 1, step, 1, k, 1, m};
        if (random.chance(0.3))
            std::swap(shape.row_stride_a, shape.column_stride_a);
        if (random.chance(0.5))
            shape = shape.transposed();
        for_each_type([&]<class T>(T) {
            check(gemm_case<T>(shape, random_scalar<T>(random), random_scalar<T>(random), random),
                  all);
        });
    }
}

/// Products that one thread does not pack, but several do.
TEST(GemmSmall, LargerOnOneThread) {
    const auto all = contexts();
    for (const int number : cases(10)) {
        SCOPED_TRACE(rerun_line(number));
        random_source random(number);
        const index_t m = random.integer(90, 150);
        const index_t n = random.integer(90, 150);
        const index_t k = random.integer(90, 250);
        const gemm_shape shape = plain_shape(random, m, n, k);
        for_each_type([&]<class T>(T) {
            check(gemm_case<T>(shape, random_scalar<T>(random), random_scalar<T>(random), random),
                  all);
        });
    }
}

/// Real numbers: one thread may use another way than a team, and tiles have other widths. Complex
/// numbers: a team shares columns, whose sums are the same.
TEST(GemmSmall, LargerReproducibly) {
    settings chosen;
    chosen.reproducible = true;
    const context reproducible(chosen);
    for (const int number : cases(10)) {
        SCOPED_TRACE(rerun_line(number));
        random_source random(number);
        const index_t m = random.integer(70, 160);
        const index_t n = random.integer(70, 160);
        const index_t k = random.integer(70, 200);
        const auto check = [&]<class T>(T) {
            gemm_case<T> c({data_type_of<T>, m, n, k, 1, m, 1, k, 1, m}, 1.0 / 3, 1.0 / 7, random);
            for (index_t j = 0; j < n; ++j)
                for (index_t p = 0; p < k; ++p)
                    c.b.at(p, j) =
                        static_cast<T>(static_cast<decltype(std::real(T{}))>(random.real() - 0.5));
            const auto alone = multiplied(c, reproducible);
            for (const int threads : {2, 3})
                EXPECT_TRUE(alone.same_bits(multiplied(c, reproducible, threads)))
                    << m << ' ' << n << ' ' << k << " on " << threads;
        };
        for_each_type(check);
    }
}

/// Each sum is the same chain of FMAs as in plans. The rounding of alpha and beta is not specified,
/// nor are sums of matrix times vector.
TEST(GemmSmall, SumsAsPlansDo) {
    const auto all = contexts();
    for (const int number : cases(100)) {
        SCOPED_TRACE(rerun_line(number));
        random_source random(number);
        const index_t m = random.integer(2, 60);
        const index_t n = random.integer(2, 60);
        const index_t k = random.integer(1, 60);
        const auto check = [&]<class T>(T) {
            gemm_case<T> c({data_type_of<T>, m, n, k, 1, m, 1, k, 1, m}, 1.0, 0.0, random);
            for (index_t j = 0; j < n; ++j)
                for (index_t p = 0; p < k; ++p)
                    c.b.at(p, j) = static_cast<T>(random.real() - 0.5);
            for (const auto &ctx : all) {
                auto is = multiplied(c, *ctx);
                drop_negative_zeros(is, m, n);
                EXPECT_TRUE(is.same_bits(c.computed(gemm_plan(c.shape, plan_options(ctx->isa())))))
                    << name(ctx->isa()) << ' ' << m << ' ' << n << ' ' << k;
            }
        };
        check(float{});
        check(double{});
    }
}

/// Tests A column-major, or row-major and hence copied.
template <class T> void check_within(const std::vector<std::unique_ptr<context>> &all, side fence,
                                     index_t m, index_t n, index_t k) {
    const auto size = static_cast<index_t>(sizeof(T));
    fenced_memory a(m * k * size, fence);
    fenced_memory b(k * n * size, fence);
    fenced_memory c(m * n * size, fence);
    auto *const x = reinterpret_cast<T *>(a.data());
    auto *const y = reinterpret_cast<T *>(b.data());
    auto *const z = reinterpret_cast<T *>(c.data());
    std::fill_n(x, m * k, T(2));
    std::fill_n(y, k * n, T(3));
    for (const auto &ctx : all)
        for (const auto &view :
             {matrix_view<const T>(x, m, k), matrix_view<const T>(x, m, k, k, 1)})
            for (const int beta : {0, 1}) {
                std::fill_n(z, m * n, T(1));
                gemm(view, matrix_view<const T>(y, k, n), matrix_view<T>(z, m, n),
                     {.beta = static_cast<double>(beta), .ctx = ctx.get()});
                EXPECT_EQ(
                    std::count(z, z + m * n, static_cast<T>(static_cast<float>(6 * k + beta))),
                    m * n)
                    << name(ctx->isa()) << ' ' << name(data_type_of<T>) << ' ' << m << ' ' << n;
            }
}

TEST(GemmSmall, StaysWithinItsMatrices) {
    const auto all = contexts();
    for (const side fence : {side::begin, side::end})
        for (index_t m = 1; m <= 50; ++m)
            for (const index_t n : {1, 3, 8, 13})
                for_each_type([&]<class T>(T) { check_within<T>(all, fence, m, n, 1 + m % 5); });
}

/// Seven rows, so that the last register is partly used in every instruction set.
template <class T> void check_not_a_number(const context &ctx) {
    const T nan = not_a_number<T>();
    std::vector<T> a(49, 1);
    std::vector<T> b(49, 1);
    std::vector<T> c(49, nan);
    const auto run = [&](double alpha, double beta) {
        gemm(matrix_view<const T>(a.data(), 7, 7), matrix_view<const T>(b.data(), 7, 7),
             matrix_view<T>(c.data(), 7, 7), {.alpha = alpha, .beta = beta, .ctx = &ctx});
    };
    run(1, 0); // beta = 0: C is not read
    EXPECT_EQ(c, std::vector<T>(49, 7));
    a[3] = a[6] = nan;
    for (const double alpha : {0.0, 1e-320}) // the latter is 0 in single precision
        if (base::scalar_cast<T>(alpha) == T(0)) {
            run(alpha, 1); // alpha = 0: A is not read
            EXPECT_EQ(c, std::vector<T>(49, 7)) << alpha;
        }
    run(1, 0); // NaN in rows 3 and 6 of A shows in these rows of C only
    for (std::size_t i = 0; i < 49; ++i)
        EXPECT_EQ(c[i] != c[i], i % 7 == 3 || i % 7 == 6) << i;
}

TEST(GemmSmall, NotANumberFollowsTheRules) {
    for (const auto &ctx : contexts()) {
        SCOPED_TRACE(name(ctx->isa()));
        for_each_type([&]<class T>(T) { check_not_a_number<T>(*ctx); });
    }
}

} // namespace
} // namespace tenfold::testing
