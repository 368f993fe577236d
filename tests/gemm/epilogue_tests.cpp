// Compares epilogues in every form of the plan with reference_gemm and one pass over its result.
#include <cmath>
#include <limits>
#include <vector>

#include "gemm/matrices.hpp"

#include <tenfold/error.hpp>

namespace tenfold::testing {
namespace {

using gemm_impl::blocking;
using gemm_impl::fused_epilogue;
using gemm_impl::gemm_form;
using gemm_impl::gemm_plan;
using gemm_impl::gemm_plan_options;
using gemm_impl::gemm_shape;

/// x -> x + *context, which shows an element that is passed twice or never.
template <class T> void add_number(T *elements, index_t count, void *context) {
    for (index_t i = 0; i < count; ++i)
        elements[i] += *static_cast<const T *>(context);
}

/// Random steps with their data and their plain definition.
template <class T> struct random_steps {
    static constexpr bool real = !element_traits<T>::is_complex;
    index_t m, n;
    std::vector<guarded_matrix<T>> operands;
    T number = T(5);
    epilogue steps;
    guarded_matrix<T> *expected;

    /// Adds random steps to `steps` and applies each to `result`.
    random_steps(index_t rows, index_t columns, guarded_matrix<T> &result, random_source &random)
        : m(rows), n(columns), expected(&result) {
        operands.reserve(epilogue::most_steps);
        for (index_t left = random.integer(1, 4); left > 0; --left)
            add_step(random);
    }

    template <class F> void each(F &&f) {
        for (index_t i = 0; i < m; ++i)
            for (index_t j = 0; j < n; ++j)
                expected->at(i, j) = f(expected->at(i, j), i, j) + T{};
    }

    guarded_matrix<T> &operand(index_t rows, index_t columns, index_t rs, index_t cs,
                               random_source &random) {
        operands.emplace_back(rows, columns, rs, cs, not_a_number<T>());
        operands.back().fill_integers(random);
        return operands.back();
    }

    void add_step(random_source &random) {
        switch (random.integer(0, real ? 6 : 4)) {
        case 0: {
            const scalar factor = random_scalar<T>(random);
            steps.scale(factor);
            return each([&](T c, index_t, index_t) { return c * base::scalar_cast<T>(factor); });
        }
        case 1: {
            const index_t stride = random.integer(-2, 2);
            auto &bias = operand(m, 1, stride, 0, random);
            steps.add_along_columns(bias.data(), m, stride);
            return each([&](T c, index_t i, index_t) { return c + bias.at(i, 0); });
        }
        case 2: {
            const index_t stride = random.integer(-2, 2);
            auto &bias = operand(1, n, 0, stride, random);
            steps.add_along_rows(bias.data(), n, stride);
            return each([&](T c, index_t, index_t j) { return c + bias.at(0, j); });
        }
        case 3: {
            const auto [rs, cs] = random_strides(random, m, n, true);
            auto &x = operand(m, n, rs, cs, random);
            const scalar factor = random_scalar<T>(random);
            steps.add(matrix_view<const T>(x.data(), m, n, rs, cs), factor);
            return each([&](T c, index_t i, index_t j) {
                return c + base::scalar_cast<T>(factor) * x.at(i, j);
            });
        }
        case 4: {
            const auto [rs, cs] = random_strides(random, m, n, true);
            auto &x = operand(m, n, rs, cs, random);
            const scalar factor = random_scalar<T>(random);
            steps.multiply(matrix_view<const T>(x.data(), m, n, rs, cs), factor);
            return each([&](T c, index_t i, index_t j) {
                return c * (base::scalar_cast<T>(factor) * x.at(i, j));
            });
        }
        case 5:
            if constexpr (real) {
                steps.apply(elementwise::relu);
                return each([](T c, index_t, index_t) { return c < 0 ? T(0) : c; });
            }
            return;
        default:
            steps.call<T>(add_number<T>, &number);
            return each([&](T c, index_t, index_t) { return c + number; });
        }
    }
};

/// Tests one multiplication with random steps. Returns the form of its plan.
template <class T> gemm_form check(const gemm_shape &shape, scalar alpha, scalar beta,
                                   gemm_plan_options options, random_source &random) {
    const gemm_case<T> c(shape, alpha, beta, random);
    guarded_matrix<T> should = c.expected();
    const random_steps<T> with(shape.m, shape.n, should, random);
    const fused_epilogue finish(with.steps, data_type_of<T>, shape.m, shape.n,
                                options.instruction_set);
    const gemm_plan plan(c.shape, options);
    const guarded_matrix<T> is = c.computed(plan, &finish);
    EXPECT_TRUE(is.same_bits(should))
        << plan.describe() << "\nm n k " << shape.m << ' ' << shape.n << ' ' << shape.k
        << ", strides of D " << shape.row_stride_d << ' ' << shape.column_stride_d << ", alpha "
        << alpha << ", beta " << beta << ", " << with.steps.steps().size()
        << " steps, first difference at " << is.first_difference(should);
    return plan.form();
}

TEST(gemm_epilogue, every_form) {
    std::vector<int> seen(9);
    for (const int i : cases(300)) {
        SCOPED_TRACE(rerun_line(i));
        random_source random(i);
        const auto extent = [&] { return random.integer(2, random.chance(0.3) ? 200 : 40); };
        index_t m = extent(), n = extent(), k = extent();
        auto options =
            plan_options(random.pick(this_machine().isas), static_cast<int>(random.integer(1, 4)));
        switch (i % 10) {
        case 0:
            m = 1;
            break;
        case 1:
            n = 1;
            m = random.integer(1, 3000);
            break;
        case 2:
            m = n = 1;
            break;
        case 3:
            k = 1;
            break;
        case 4:
            k = 0;
            break;
        case 5:
            k = random.integer(4096, 5000);
            break;
#if defined(TENFOLD_HAVE_BLIS)
        case 6:
            options.back = backend::blis;
            break;
#endif
        case 7: // many blocks of k, m and n
            options.blocks =
                blocking{0, 0, random.integer(1, 30), random.integer(1, 60), random.integer(1, 60)};
            break;
        case 8: // a few tiles wide, and k in several blocks; in place below
            (random.chance(0.5) ? m : n) = random.integer(300, 3000);
            options.blocks = blocking{0, 0, random.integer(1, 60), 100, 100};
            break;
        default:
            break;
        }
        for_each_type([&]<class T>(T) {
            gemm_shape shape = random_shape(random, m, n, k);
            if (i % 10 == 8) {
                shape.row_stride_a = shape.row_stride_d = 1;
                shape.column_stride_a = shape.column_stride_d = m;
            }
            const gemm_form form = check<T>(shape, random_scalar<T>(random),
                                            random_scalar<T>(random), options, random);
            ++seen[static_cast<std::size_t>(form)];
        });
        if (HasFailure())
            return;
    }
    if (cases(300).size() == 300) {
        for (const gemm_form form :
             {gemm_form::scale, gemm_form::dot, gemm_form::gemv, gemm_form::outer,
              gemm_form::packed, gemm_form::streamed, gemm_form::split_k})
            EXPECT_GT(seen[static_cast<std::size_t>(form)], 0) << name(form);
    }
}

TEST(gemm_epilogue, functions_do_not_depend_on_the_threads) {
    random_source random(0);
    for (const auto &[m, n, k] :
         {std::array<index_t, 3>{150, 170, 100}, {20, 900, 310}, {30, 30, 9000}, {3000, 1, 400}}) {
        const gemm_shape s{data_type::f32, m, n, k, 1, m, 1, k, 1, m};
        gemm_case<float> c(s, 0.01, 0.0, random);
        epilogue steps;
        steps.apply(elementwise::gelu_erf).scale(0.3).apply(elementwise::sigmoid);
        const isa best = this_machine().best_isa();
        const fused_epilogue finish(steps, data_type::f32, m, n, best);
        const auto first = c.computed(gemm_plan(c.shape, plan_options(best, 1)), &finish);
        for (const int threads : {2, 3, 4, 7})
            EXPECT_TRUE(first.same_bits(
                c.computed(gemm_plan(c.shape, plan_options(best, threads)), &finish)))
                << m << ' ' << n << ' ' << k << " on " << threads;
    }
}

TEST(gemm_epilogue, small_products) {
    for (const int i : cases(100)) {
        SCOPED_TRACE(rerun_line(i));
        random_source random(i);
        settings chosen;
        chosen.isa = random.pick(this_machine().isas);
        const context ctx(chosen);
        for_each_type([&]<class T>(T) {
            const index_t m = random.integer(1, 40), n = random.integer(1, 40),
                          k = random.integer(0, 40);
            const bool rows = random.chance(0.5); // row-major throughout
            const gemm_shape s{data_type_of<T>,
                               m,
                               n,
                               k,
                               rows ? k + 1 : 1,
                               rows ? 1 : m + 1,
                               rows ? n + 1 : 1,
                               rows ? 1 : k + 1,
                               rows ? n + 1 : 1,
                               rows ? 1 : m + 1};
            const gemm_case<T> c(s, random_scalar<T>(random), random_scalar<T>(random), random);
            guarded_matrix<T> should = c.expected();
            const random_steps<T> with(m, n, should, random);
            guarded_matrix<T> is = c.d;
            gemm<T>({c.a.data(), m, k, s.row_stride_a, s.column_stride_a},
                    {c.b.data(), k, n, s.row_stride_b, s.column_stride_b},
                    {is.data(), m, n, s.row_stride_d, s.column_stride_d},
                    {.alpha = c.alpha, .beta = c.beta, .ctx = &ctx, .epilogue = &with.steps});
            drop_negative_zeros(is, m, n);
            EXPECT_TRUE(is.same_bits(should)) << m << ' ' << n << ' ' << k;
        });
        if (HasFailure())
            return;
    }
}

TEST(gemm_epilogue, public_interface) {
    const std::vector<double> a{1, 2}, b{3, -4}, bias{0.5, -0.5};
    std::vector<double> c(4, std::numeric_limits<double>::quiet_NaN());
    epilogue finish;
    finish.add_along_columns(bias.data(), 2).apply(elementwise::tanh).scale(2.0);
    gemm<double>({a.data(), 2, 1}, {b.data(), 1, 2}, {c.data(), 2, 2}, {.epilogue = &finish});
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 2; ++j)
            EXPECT_NEAR(c[i + 2 * j], 2 * std::tanh(a[i] * b[j] + bias[i]), 1e-15);
    // An empty epilogue changes nothing.
    const epilogue empty;
    gemm<double>({a.data(), 1, 2, 1, 1}, {b.data(), 2, 1}, {c.data(), 1, 1}, {.epilogue = &empty});
    EXPECT_EQ(c[0], -5);
}

template <class T> std::string failure(const epilogue &finish, errc code, T *c) {
    const std::vector<T> a(6, T(1));
    try {
        gemm<T>({a.data(), 2, 3}, {a.data(), 3, 2}, {c, 2, 2}, {.epilogue = &finish});
    } catch (const error &e) {
        EXPECT_EQ(e.code(), code) << e.what();
        return e.what();
    }
    ADD_FAILURE() << "nothing thrown";
    return {};
}

TEST(gemm_epilogue, errors_before_anything_is_written) {
    std::vector<double> c(4, 7);
    const std::vector<double> bias(3);
    const std::vector<float> other(2);
    EXPECT_EQ(failure(epilogue().add_along_rows(bias.data(), 3), errc::extent_mismatch, c.data()),
              "gemm: epilogue step 1: it has 3 columns, C has 2");
    EXPECT_EQ(failure(epilogue().scale(2.0).add_along_columns(other.data(), 2), errc::type_mismatch,
                      c.data()),
              "gemm: epilogue step 2 is of type f32, C has type f64");
    EXPECT_EQ(failure(epilogue().scale(scalar(0, 1)), errc::type_mismatch, c.data()),
              "gemm: epilogue step 1: the factor has an imaginary part, but C has type f64");
    EXPECT_EQ(
        failure(epilogue().add_along_columns<double>(nullptr, 2), errc::null_pointer, c.data()),
        "gemm: epilogue step 1: its matrix is null");
    EXPECT_EQ(failure(epilogue().call<double>(nullptr), errc::null_pointer, c.data()),
              "gemm: epilogue step 1: the function is null");
    EXPECT_EQ(
        failure(epilogue().add(matrix_view<const double>(c.data(), 2, 2)), errc::overlap, c.data()),
        "gemm: epilogue step 1: its matrix overlaps C; copy it, or use beta to add C itself");
    EXPECT_EQ(failure(epilogue().add_along_columns(c.data() + 3, 2, -3), errc::overlap, c.data())
                  .substr(0, 44),
              "gemm: epilogue step 1: its matrix overlaps C");
    EXPECT_EQ(c, std::vector<double>(4, 7));

    std::vector<c64> z(4);
    EXPECT_EQ(failure(epilogue().apply(elementwise::relu), errc::unsupported, z.data()),
              "gemm: epilogue step 1: functions are for real numbers, but C has type c64, which can "
              "be scaled, added to and multiplied");
    epilogue full;
    for (int i = 0; i < epilogue::most_steps; ++i)
        full.scale(1.0);
    EXPECT_THROW(full.scale(1.0), error);
    EXPECT_THROW(epilogue().apply(static_cast<elementwise>(99)), error);
}

} // namespace
} // namespace tenfold::testing
