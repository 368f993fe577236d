// Tests mixed products of every kernel that this machine runs against their definition.
#include <tenfold/gemm_mixed.hpp>

#include "base/checked.hpp"
#include "gemm/mixed_matrices.hpp"
#include "support/error_bound.hpp"
#include "support/exact_sum.hpp"
#include "support/fenced.hpp"

namespace tenfold::testing {
namespace {

TEST(gemm_mixed, random_shapes_strides_and_factors) {
    for (const int number : cases(300)) {
        SCOPED_TRACE(rerun_line(number));
        random_source random(number);
        const index_t m = random.integer(1, random.chance(0.2) ? 200 : 60);
        const index_t n = random.integer(1, random.chance(0.2) ? 120 : 20);
        const index_t k = random.integer(1, random.chance(0.2) ? 300 : 20);
        const gemm_impl::gemm_shape shape = random_shape(random, m, n, k);
        const bool small_blocks = random.chance(0.5);
        const gemm_impl::blocking blocks{0, 0, random.integer(1, 40), random.integer(1, 100),
                                         random.integer(1, 50)};
        const int threads = static_cast<int>(random.integer(1, 4));
        for_each_product([&]<class Types>(Types, mixed_product product) {
            mixed_case<Types> c(shape, random);
            for_each_platform([&](gemm_impl::gemm_plan_options options) {
                options.threads = threads;
                if (small_blocks)
                    options.blocks = blocks;
                c.check(mixed_plan(product, shape, options));
            });
        });
        if (HasFailure())
            return;
    }
}

/// Small results of sums so long that k is cut into leaves.
TEST(gemm_mixed, long_sums) {
    for (const int number : cases(6)) {
        SCOPED_TRACE(rerun_line(number));
        random_source random(number);
        const gemm_impl::gemm_shape shape = random_shape(
            random, random.integer(1, 20), random.integer(1, 20), random.integer(4096, 12000));
        const int threads = static_cast<int>(random.integer(1, 4));
        for_each_product([&]<class Types>(Types, mixed_product product) {
            mixed_case<Types> c(shape, random);
            for_each_platform([&](gemm_impl::gemm_plan_options options) {
                options.threads = threads;
                const mixed_plan plan(product, shape, options);
                EXPECT_GT(plan.leaves(), 1);
                c.check(plan);
            });
        });
    }
}

/// Sums of products, of which a block of k holds several, or not even one.
TEST(gemm_mixed, sums_of_products) {
    int run = 0, joined = 0, apart = 0;
    for (const int number : cases(100)) {
        SCOPED_TRACE(rerun_line(number));
        ++run;
        random_source random(number);
        const gemm_impl::gemm_shape shape =
            random_shape(random, random.integer(1, 60), random.integer(1, 20),
                         random.integer(1, random.chance(0.2) ? 70 : 10));
        const index_t count = random.integer(1, 9);
        const bool small_blocks = random.chance(0.5);
        const gemm_impl::blocking blocks{0, 0, random.integer(1, 60), random.integer(1, 100),
                                         random.integer(1, 50)};
        const int threads = static_cast<int>(random.integer(1, 4));
        for_each_product([&]<class Types>(Types, mixed_product product) {
            const mixed_sum<Types> sum(shape, count, random);
            for_each_platform([&](gemm_impl::gemm_plan_options options) {
                options.threads = threads;
                options.whole.terms = static_cast<double>(count);
                if (small_blocks)
                    options.blocks = blocks;
                const mixed_plan plan(product, shape, options);
                ++(plan.terms_at_once() > 1 ? joined : apart);
                sum.check(plan);
            });
        });
        if (HasFailure())
            return;
    }
    if (run < 20)
        return; // so few need not have both
    EXPECT_GT(joined, 0);
    EXPECT_GT(apart, 0);
}

/// As many terms as fit a block, in calls of nearly the same number.
TEST(gemm_mixed, terms_are_joined_where_two_fit_a_block) {
    for_each_product([&]<class Types>(Types, mixed_product product) {
        for_each_platform([&](gemm_impl::gemm_plan_options options) {
            const auto &kernel =
                gemm_impl::select(product, options.instruction_set, *options.machine);
            const index_t group = kernel.elements.group;
            options.blocks = gemm_impl::blocking{0, 0, 64, 48, 48};
            const auto at_once = [&](index_t k, double terms) {
                options.whole.terms = terms;
                const gemm_impl::gemm_shape shape{data_type::f32, 16, 16, k, 1, 16, 1, k, 1, 16};
                return mixed_plan(product, shape, options).terms_at_once();
            };
            EXPECT_EQ(at_once(8, 1), 1);
            EXPECT_EQ(at_once(8, 5), 5);
            EXPECT_EQ(at_once(8, 8), 8);
            EXPECT_EQ(at_once(8, 9), 5);
            EXPECT_EQ(at_once(7, 100), group == 1 ? 9 : 8) << "words are whole";
            EXPECT_EQ(at_once(32, 100), 2);
            EXPECT_EQ(at_once(33, 100), 1);
        });
    });
}

/// Every cut of the tile, and k around the size of groups.
TEST(gemm_mixed, edges) {
    random_source random(0);
    SCOPED_TRACE(rerun_line(0));
    for_each_product([&]<class Types>(Types, mixed_product product) {
        for_each_platform([&](const gemm_impl::gemm_plan_options &options) {
            const auto &kernel =
                gemm_impl::select(product, options.instruction_set, *options.machine);
            for (index_t m = 1; m <= kernel.loops.mr + 1; ++m)
                for (index_t n = 1; n <= kernel.loops.nr + 1; ++n) {
                    const index_t k = random.integer(1, 9);
                    gemm_impl::gemm_shape shape = random_shape(random, m, n, k);
                    if (random.chance(0.5)) {
                        shape.row_stride_d = 1;
                        shape.column_stride_d = m + 3;
                    }
                    mixed_case<Types>(shape, random).check(mixed_plan(product, shape, options));
                    if (HasFailure())
                        return;
                }
        });
    });
}

TEST(gemm_mixed, the_stride_of_an_extent_of_one_does_not_matter) {
    constexpr index_t m = 64;
    const std::vector<bf16> a(m, bf16(2.0F)), b(1, bf16(3.0F));
    const std::vector<std::int8_t> whole_a(m, 2), whole_b(1, 3);
    for (const index_t any : {INT64_MAX, INT64_MIN}) {
        std::vector<float> c(m);
        gemm({a.data(), m, 1, 1, any}, {b.data(), 1, 1, any, any}, {c.data(), m, 1, 1, any});
        EXPECT_EQ(c, std::vector<float>(m, 6));
        std::vector<std::int32_t> whole_c(m);
        gemm({whole_a.data(), m, 1, 1, any}, {whole_b.data(), 1, 1, any, any},
             {whole_c.data(), m, 1, 1, any});
        EXPECT_EQ(whole_c, std::vector<std::int32_t>(m, 6));
    }
}

TEST(gemm_mixed, extents_of_zero_and_alpha_of_zero) {
    for_each_product([&]<class Types>(Types, mixed_product product) {
        using out = typename Types::out;
        for_each_platform([&](const gemm_impl::gemm_plan_options &options) {
            const gemm_impl::gemm_shape no_k{data_type::f32, 3, 2, 0, 1, 3, 1, 0, 1, 3};
            std::vector<out> d{1, 2, 3, 4, 5, 6};
            mixed_plan(product, no_k, options)
                .execute<out>({out(1), nullptr, nullptr, out(3), d.data()});
            EXPECT_EQ(d, (std::vector<out>{3, 6, 9, 12, 15, 18}));
            const gemm_impl::gemm_shape some_k{data_type::f32, 3, 2, 5, 1, 3, 1, 5, 1, 3};
            mixed_plan(product, some_k, options)
                .execute<out>({out(0), nullptr, nullptr, out(0), d.data()});
            EXPECT_EQ(d, std::vector<out>(6));
            const gemm_impl::gemm_shape no_m{data_type::f32, 0, 2, 5, 1, 3, 1, 5, 1, 3};
            mixed_plan(product, no_m, options)
                .execute<out>({out(1), nullptr, nullptr, out(0), nullptr});
        });
    });
}

/// Nothing is read or written outside the matrices, not even at a page border, where it would
/// fault.
TEST(gemm_mixed, matrices_at_the_border_of_a_page) {
    for_each_product([&]<class Types>(Types, mixed_product product) {
        using in = typename Types::in;
        using out = typename Types::out;
        in two;
        in three;
        if constexpr (std::is_same_v<in, std::int8_t>) {
            two = 2;
            three = 3;
        } else {
            two = in(2.0F);
            three = in(3.0F);
        }
        for (const side fence : {side::begin, side::end})
            for (const bool transposed : {false, true})
                for (const index_t m : {1, 5, 16, 47, 50})
                    for (const index_t n : {1, 3, 8, 21}) {
                        const index_t k = 1 + (m + n) % 23;
                        fenced_memory a(m * k * static_cast<index_t>(sizeof(in)), fence);
                        fenced_memory b(k * n * static_cast<index_t>(sizeof(in)), fence);
                        fenced_memory d(m * n * 4, fence);
                        std::fill_n(reinterpret_cast<in *>(a.data()), m * k, two);
                        std::fill_n(reinterpret_cast<in *>(b.data()), k * n, three);
                        auto *const elements = reinterpret_cast<out *>(d.data());
                        gemm_impl::gemm_shape shape{data_type::f32, m, n, k, 1, m, 1, k, 1, m};
                        if (transposed) {
                            std::tie(shape.row_stride_a, shape.column_stride_a) = std::pair(k, 1);
                            std::tie(shape.row_stride_b, shape.column_stride_b) = std::pair(n, 1);
                        }
                        for_each_platform([&](const gemm_impl::gemm_plan_options &options) {
                            const mixed_plan plan(product, shape, options);
                            aligned_workspace workspace(plan);
                            std::fill_n(elements, m * n, out(1));
                            plan.execute<out>(
                                {out(1), a.data(), b.data(), out(1), elements, workspace.data()});
                            EXPECT_EQ(
                                std::count(elements, elements + m * n, static_cast<out>(6 * k + 1)),
                                m * n)
                                << plan.describe() << ' ' << m << ' ' << n << ' ' << k;
                        });
                    }
    });
}

/// The extremes of both factors, in sums that exceed 32 bits: 140000 times 128 x 128.
TEST(gemm_mixed, integers_wrap_around) {
    constexpr index_t k = 140000;
    const std::vector<std::int8_t> least(static_cast<std::size_t>(k), -128);
    const std::vector<std::int8_t> most(static_cast<std::size_t>(k), 127);
    const gemm_impl::gemm_shape shape{data_type::f32, 1, 1, k, 1, 1, 1, k, 1, 1};
    const auto wrapped = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
    for_each_platform([&](const gemm_impl::gemm_plan_options &options) {
        const mixed_plan plan(mixed_product::i8, shape, options);
        aligned_workspace workspace(plan);
        std::uint32_t d = 5;
        plan.execute<std::uint32_t>({1U, least.data(), least.data(), 1U, &d, workspace.data()});
        EXPECT_EQ(d, wrapped(k * 16384 + 5)) << plan.describe();
        plan.execute<std::uint32_t>({1U, least.data(), most.data(), 0U, &d, workspace.data()});
        EXPECT_EQ(d, wrapped(-k * 128 * 127)) << plan.describe();
        plan.execute<std::uint32_t>(
            {wrapped(-3), most.data(), least.data(), 0U, &d, workspace.data()});
        EXPECT_EQ(d, wrapped(3 * k * 128 * 127)) << plan.describe();
        plan.execute<std::uint32_t>({1U, most.data(), most.data(), 0U, &d, workspace.data()});
        EXPECT_EQ(d, wrapped(k * 127 * 127)) << plan.describe();
    });
}

/// Inputs and products are exact in f32 and not near subnormal numbers, so that the bound is that
/// of f32.
template <class In> void check_bound(mixed_product product,
                                     const gemm_impl::gemm_plan_options &options, bool positive,
                                     random_source &random) {
    const gemm_impl::gemm_shape shape =
        random_shape(random, random.integer(1, 70), random.integer(1, 20), random.integer(1, 2000));
    guarded_matrix<In> a(shape.m, shape.k, shape.row_stride_a, shape.column_stride_a, In(0.0F));
    guarded_matrix<In> b(shape.k, shape.n, shape.row_stride_b, shape.column_stride_b, In(0.0F));
    guarded_matrix<float> d(shape.m, shape.n, shape.row_stride_d, shape.column_stride_d, 0.0F);
    const auto number = [&] {
        if (positive)
            return In(static_cast<float>(0.5 + random.real() / 2));
        // Numbers down to 2^-24, where f16 is subnormal.
        return In(static_cast<float>(
            std::ldexp(2 * random.real() - 1, static_cast<int>(random.integer(-16, 3)))));
    };
    for (index_t p = 0; p < shape.k; ++p) {
        for (index_t i = 0; i < shape.m; ++i)
            a.at(i, p) = number();
        for (index_t j = 0; j < shape.n; ++j)
            b.at(p, j) = number();
    }
    const mixed_plan plan(product, shape, options);
    aligned_workspace workspace(plan);
    plan.execute<float>({1.5F, a.data(), b.data(), 0.0F, d.data(), workspace.data()});
    const summation how{.terms = shape.k,
                        .block = plan.blocks().kc,
                        .leaf = base::round_up(base::divide_up(shape.k, plan.leaves()), 4)};
    const double bound = error_bound<float>(how);
    if (positive) { // one product is at least 1/4, the others at most 1
        EXPECT_GT(0.25 / (0.25 + static_cast<double>(shape.k - 1)), bound)
            << "a missing product would not show";
    }
    for (index_t i = 0; i < shape.m; ++i)
        for (index_t j = 0; j < shape.n; ++j) {
            exact_element element;
            for (index_t p = 0; p < shape.k; ++p)
                element.add_product(static_cast<float>(a.at(i, p)), static_cast<float>(b.at(p, j)));
            element.finish(1.5, 0.0, 0.0);
            ASSERT_LE(element.relative_error(d.at(i, j)), bound)
                << plan.describe() << ", m n k " << shape.m << ' ' << shape.n << ' ' << shape.k;
        }
}

TEST(gemm_mixed, error_bound) {
    for (const int number : cases(6)) {
        SCOPED_TRACE(rerun_line(number));
        random_source random(number);
        for_each_platform([&](const gemm_impl::gemm_plan_options &options) {
            for (const bool positive : {false, true}) {
                check_bound<bf16>(mixed_product::bf16_widened, options, positive, random);
                check_bound<bf16>(mixed_product::bf16_dot, options, positive, random);
                check_bound<f16>(mixed_product::f16_widened, options, positive, random);
            }
        });
    }
}

/// Multiplies each of the 65536 bit patterns by 1, for each way to read them in packing.
template <class In> void check_widening(mixed_product product) {
    constexpr index_t count = 65536;
    std::vector<In> all(2 * count);
    for (index_t i = 0; i < 2 * count; ++i)
        all[static_cast<std::size_t>(i)].bits = static_cast<std::uint16_t>(i);
    const In one(1.0F);
    for_each_platform([&](const gemm_impl::gemm_plan_options &options) {
        for (const index_t stride : {1, 2}) { // adjacent rows; element by element
            const gemm_impl::gemm_shape shape{
                data_type::f32, count / stride, 1, 1, stride, 1, 1, 1, 1, count};
            const mixed_plan plan(product, shape, options);
            aligned_workspace workspace(plan);
            std::vector<float> d(static_cast<std::size_t>(shape.m));
            plan.execute<float>({1.0F, all.data(), &one, 0.0F, d.data(), workspace.data()});
            for (index_t i = 0; i < shape.m; ++i) {
                const float is = d[static_cast<std::size_t>(i)];
                const auto should = static_cast<float>(all[static_cast<std::size_t>(i * stride)]);
                if (std::isnan(should))
                    ASSERT_TRUE(std::isnan(is)) << plan.describe() << ", bits " << i * stride;
                else
                    ASSERT_EQ(is, should) << plan.describe() << ", bits " << i * stride;
            }
        }
    });
}

TEST(gemm_mixed, every_f16_is_widened_exactly) { check_widening<f16>(mixed_product::f16_widened); }
TEST(gemm_mixed, every_bf16_is_widened_exactly) {
    check_widening<bf16>(mixed_product::bf16_widened);
}

/// Infinity times zero, infinity minus infinity and NaN itself give NaN in their own row and
/// column, and in no other element.
TEST(gemm_mixed, not_a_number_and_infinity) {
    constexpr index_t m = 61;
    constexpr index_t n = 13;
    constexpr index_t k = 37;
    const float infinity = std::numeric_limits<float>::infinity();
    const auto check = [&]<class In>(In, mixed_product product) {
        std::vector<In> a(static_cast<std::size_t>(m * k), In(1.0F));
        std::vector<In> b(static_cast<std::size_t>(k * n), In(2.0F));
        const auto at_a = [&](index_t i, index_t p) -> In & {
            return a[static_cast<std::size_t>(i + p * m)];
        };
        at_a(5, 36) = In(not_a_number<float>());
        at_a(17, 3) = In(infinity);
        at_a(18, 3) = In(-infinity);
        at_a(59, 0) = In(infinity);
        at_a(59, 35) = In(-infinity);
        b[static_cast<std::size_t>(3 + 11 * k)] = In(0.0F); // times the infinities of rows 17, 18
        b[static_cast<std::size_t>(20 + 4 * k)] = In(infinity);
        for_each_platform([&](const gemm_impl::gemm_plan_options &options) {
            const mixed_plan plan(product, {data_type::f32, m, n, k, 1, m, 1, k, 1, m}, options);
            aligned_workspace workspace(plan);
            std::vector<float> d(static_cast<std::size_t>(m * n));
            plan.execute<float>({1.0F, a.data(), b.data(), 0.0F, d.data(), workspace.data()});
            for (index_t j = 0; j < n; ++j)
                for (index_t i = 0; i < m; ++i) {
                    double should = 0;
                    for (index_t p = 0; p < k; ++p)
                        should += static_cast<double>(static_cast<float>(at_a(i, p))) *
                                  static_cast<double>(
                                      static_cast<float>(b[static_cast<std::size_t>(p + j * k)]));
                    const float is = d[static_cast<std::size_t>(i + j * m)];
                    if (std::isnan(should))
                        ASSERT_TRUE(std::isnan(is)) << plan.describe() << ' ' << i << ' ' << j;
                    else
                        ASSERT_EQ(static_cast<double>(is), should)
                            << plan.describe() << ' ' << i << ' ' << j;
                }
        });
    };
    check(bf16{}, mixed_product::bf16_widened);
    check(bf16{}, mixed_product::bf16_dot);
    check(f16{}, mixed_product::f16_widened);
}

} // namespace
} // namespace tenfold::testing
