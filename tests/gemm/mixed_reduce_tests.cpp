// Tests the public gemm_batch_reduce() of mixed types.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <tenfold/control.hpp>
#include <tenfold/epilogue.hpp>

#include "gemm/mixed_operands.hpp"
#include "support/error_bound.hpp"
#include "support/every_isa.hpp"
#include "support/exact_sum.hpp"
#include "support/message_of.hpp"
#include "support/random.hpp"

namespace tenfold::testing {
namespace {

/// Three products whose sum is 6 times that of `operands`: A, 2 A and 3 A in any order, by B.
template <class T> struct summed_operands {
    operands<T> one;
    std::vector<T> a =
        numbers<T>({1, 4, 2, 5, 3, 6, 0, 3, 12, 6, 15, 9, 18, 0, 2, 8, 4, 10, 6, 12});
    std::array<index_t, 3> offsets{14, 0, 7};
    std::array<const T *, 3> addresses{a.data() + 7, a.data() + 14, a.data()};
    matrix_view<const T> first{a.data(), 2, 3};
    matrix_batch<const T> b = matrix_batch<const T>::strided(one.view_b, 3, 0);

    summed_operands() = default;
    summed_operands(const summed_operands &) = delete;

    std::vector<matrix_batch<const T>> batches() const {
        using batch = matrix_batch<const T>;
        return {batch::strided(first, 3, 7), batch::at_offsets(first, offsets),
                batch::at_addresses({nullptr, 2, 3}, addresses)};
    }
};

template <class Types> class gemm_mixed_reduce : public ::testing::Test {};
TYPED_TEST_SUITE(gemm_mixed_reduce, mixed_type_pairs);

TYPED_TEST(gemm_mixed_reduce, batches_alpha_and_beta) {
    using in = typename TypeParam::in;
    using out = typename TypeParam::out;
    const summed_operands<in> x;
    for (const matrix_batch<const in> &a : x.batches()) {
        std::vector<out> c(4, std::numeric_limits<out>::has_quiet_NaN
                                  ? std::numeric_limits<out>::quiet_NaN()
                                  : std::numeric_limits<out>::max());
        gemm_batch_reduce(a, x.b, matrix_view<out>{c.data(), 2, 2});
        EXPECT_EQ(c, (std::vector<out>{132, 294, 168, 384}));
        gemm_batch_reduce(a, x.b, matrix_view<out>{c.data() + 1, 2, 2, -1, 2},
                          {.alpha = 2.0, .beta = -1.0});
        EXPECT_EQ(c, (std::vector<out>{588 - 132, 264 - 294, 768 - 168, 336 - 384}));
        gemm_batch_reduce(a, x.b, matrix_view<out>{c.data(), 2, 2, 2, 1}, {.threads = 3});
        EXPECT_EQ(c, (std::vector<out>{132, 168, 294, 384}));
    }
}

TYPED_TEST(gemm_mixed_reduce, sums_that_read_nothing) {
    using in = typename TypeParam::in;
    using out = typename TypeParam::out;
    using batch = matrix_batch<const in>;
    const std::array<const in *, 2> nowhere{nullptr, nullptr};
    const auto as = [&](index_t count, index_t k) {
        return count == 2 ? batch::at_addresses({nullptr, 2, k}, nowhere)
                          : batch::strided({nullptr, 2, k}, count, 6);
    };
    const auto bs = [](index_t count, index_t k) {
        return batch::strided({nullptr, k, 2}, count, 6);
    };
    std::vector<out> c{1, 2, 3, 4};
    const matrix_view<out> view_c{c.data(), 2, 2};
    gemm_batch_reduce(as(2, 3), bs(2, 3), view_c, {.alpha = 0.0, .beta = 2.0});
    EXPECT_EQ(c, (std::vector<out>{2, 4, 6, 8}));
    gemm_batch_reduce(as(0, 3), bs(0, 3), view_c, {.beta = 2.0});
    EXPECT_EQ(c, (std::vector<out>{4, 8, 12, 16})) << "no products";
    gemm_batch_reduce(as(2, 0), bs(2, 0), view_c, {.beta = 2.0});
    EXPECT_EQ(c, (std::vector<out>{8, 16, 24, 32})) << "no steps";
    gemm_batch_reduce(as(0, 3), bs(0, 3), view_c);
    EXPECT_EQ(c, std::vector<out>(4));
    gemm_batch_reduce(batch::strided({nullptr, 0, 3}, 3, 6), bs(3, 3),
                      matrix_view<out>{nullptr, 0, 2});
}

TYPED_TEST(gemm_mixed_reduce, errors_are_those_of_one_type) {
    using in = typename TypeParam::in;
    using out = typename TypeParam::out;
    using batch = matrix_batch<const in>;
    const operands<in> x;
    std::vector<out> c(9, 5);
    const matrix_view<out> view_c{c.data(), 2, 2};
    const batch as = batch::strided(x.view_a, 2, 0);
    const batch bs = batch::strided(x.view_b, 2, 0);
    const auto message = [&](const batch &a, const batch &b, const matrix_view<out> &to,
                             const gemm_options &options, errc code) {
        return message_of([&] { gemm_batch_reduce(a, b, to, options); }, code);
    };
    EXPECT_EQ(
        message(as, batch::strided(x.view_b, 3, 0), view_c, {}, errc::extent_mismatch),
        "gemm_batch_reduce: batch: number of matrices of A is 2, number of matrices of B is 3");
    EXPECT_EQ(message(batch::strided(x.view_a, -1, 0), bs, view_c, {}, errc::invalid_argument),
              "gemm_batch_reduce: A has -1 matrices; it has at least 0");
    EXPECT_EQ(message(as, bs, {c.data(), 3, 2}, {}, errc::extent_mismatch),
              "gemm_batch_reduce: m: rows of A is 2, rows of C is 3");
    EXPECT_EQ(message(as, as, {c.data(), 2, 3}, {}, errc::extent_mismatch),
              "gemm_batch_reduce: k: columns of A is 3, rows of B is 2");
    EXPECT_TRUE(message(batch::strided(x.view_a, 2, INT64_MAX), bs, view_c, {}, errc::overflow)
                    .starts_with("gemm_batch_reduce: matrices of A are 9223372036854775807 "));
    EXPECT_EQ(message(as, bs, {nullptr, 2, 2}, {}, errc::null_pointer),
              "gemm_batch_reduce: C is null");
    EXPECT_EQ(message(batch::strided({nullptr, 2, 3}, 2, 6), bs, view_c, {}, errc::null_pointer),
              "gemm_batch_reduce: A is null");
    const std::array<const in *, 2> addresses{x.b.data(), nullptr};
    EXPECT_EQ(message(as, batch::at_addresses({nullptr, 3, 2}, addresses), view_c, {},
                      errc::null_pointer),
              "gemm_batch_reduce: address 1 of B is null");
    EXPECT_EQ(message(as, bs, {c.data(), 2, 2, 1, 1}, {}, errc::overlap),
              "gemm_batch_reduce: C overlaps itself: row stride 1, column stride 1");
    const auto *inside = reinterpret_cast<const in *>(c.data() + 1);
    EXPECT_EQ(message(as, batch::strided({inside, 3, 2}, 2, 0), view_c, {}, errc::overlap),
              "gemm_batch_reduce: C overlaps B; copy B or write to another matrix");
    EXPECT_EQ(message(as, bs, view_c, {.threads = -1}, errc::invalid_argument),
              "gemm_batch_reduce: threads is -1; it is 0 to 4096");
    message(as, bs, view_c, {.alpha = scalar(1, 1)}, errc::type_mismatch);
    EXPECT_EQ(c, std::vector<out>(9, 5)); // nothing was written
}

TYPED_TEST(gemm_mixed_reduce, sums_are_watched) {
    using in = typename TypeParam::in;
    using out = typename TypeParam::out;
    const summed_operands<in> x;
    std::vector<out> c(4, 5);
    const matrix_view<out> view_c{c.data(), 2, 2};
    std::stop_source source;
    double told = 0;
    const execution_control control{.progress = [&](double done) { told = done; },
                                    .stop = source.get_token()};
    for (const matrix_batch<const in> &a : x.batches()) {
        gemm_batch_reduce(a, x.b, view_c, {.control = &control});
        EXPECT_EQ(told, 1);
        EXPECT_EQ(c[0], 132);
    }
    source.request_stop();
    std::fill(c.begin(), c.end(), out(5));
    message_of([&] { gemm_batch_reduce(x.batches()[1], x.b, view_c, {.control = &control}); },
               errc::stopped);
    EXPECT_EQ(c, std::vector<out>(4, 5));
}

/// Random sums, some of which are cut into leaves, against a chain of products.
template <class InA, class InB, class Out> void compare_with_a_chain(random_source &random) {
    const index_t m = random.integer(1, 50), n = random.integer(1, 20), k = random.integer(1, 9);
    const index_t count = random.integer(1, random.chance(0.3) ? 900 : 40);
    const auto fill = [&](auto &elements) {
        for (auto &element : elements)
            element = numbers<std::decay_t<decltype(element)>>(
                {static_cast<int>(random.integer(0, 3))})[0];
    };
    std::vector<InA> a(static_cast<std::size_t>(m * k * count));
    std::vector<InB> b(static_cast<std::size_t>(k * n * count));
    fill(a);
    fill(b);
    std::vector<Out> should(static_cast<std::size_t>(m * n), Out(7));
    const auto before = should;
    // A's matrices from the last to the first; or all of them like one product of a longer k.
    const bool longer = random.chance(0.3);
    const index_t next_b = longer ? k : k * n;
    const index_t column_b = longer ? k * count : k;
    std::vector<index_t> offsets;
    for (index_t i = 0; i < count; ++i) {
        offsets.push_back((longer ? i : count - 1 - i) * m * k);
        gemm({a.data() + offsets.back(), m, k}, {b.data() + i * next_b, k, n, 1, column_b},
             matrix_view<Out>{should.data(), m, n}, {.alpha = 3.0, .beta = i == 0 ? -2.0 : 1.0});
    }
    const auto as = longer ? matrix_batch<const InA>::strided({a.data(), m, k}, count, m * k)
                           : matrix_batch<const InA>::at_offsets({a.data(), m, k}, offsets);
    const auto bs = matrix_batch<const InB>::strided({b.data(), k, n, 1, column_b}, count, next_b);
    for (const auto &ctx : contexts_of_every_isa({}))
        for (const int threads : {1, 3}) {
            std::vector<Out> is = before;
            gemm_batch_reduce(as, bs, matrix_view<Out>{is.data(), m, n},
                              {.alpha = 3.0, .beta = -2.0, .threads = threads, .ctx = ctx.get()});
            EXPECT_EQ(is, should) << m << ' ' << n << ' ' << k << ", " << count << " products, "
                                  << name(ctx->isa()) << " on " << threads;
        }
}

TEST(gemm_mixed_sums, equal_a_chain_of_products) {
    for (const int number : cases(20)) {
        SCOPED_TRACE(rerun_line(number));
        random_source random(number);
        compare_with_a_chain<bf16, bf16, float>(random);
        compare_with_a_chain<f16, f16, float>(random);
        compare_with_a_chain<std::int8_t, std::int8_t, std::int32_t>(random);
        compare_with_a_chain<std::uint8_t, std::int8_t, std::int32_t>(random);
        if (HasFailure())
            return;
    }
}

TEST(gemm_mixed_sums, real_numbers_keep_their_bound_on_any_number_of_threads) {
    random_source random(0);
    SCOPED_TRACE(rerun_line(0));
    constexpr index_t m = 5, n = 3, k = 7, count = 700; // several leaves
    std::vector<bf16> a(static_cast<std::size_t>(m * k * count)),
        b(static_cast<std::size_t>(k * n * count));
    for (auto *matrices : {&a, &b})
        for (bf16 &x : *matrices)
            x = bf16(static_cast<float>(random.real() - 0.3));
    std::vector<index_t> offsets;
    for (index_t i = 0; i < count; ++i)
        offsets.push_back(i * m * k);
    const auto as = matrix_batch<const bf16>::at_offsets({a.data(), m, k}, offsets);
    const auto bs = matrix_batch<const bf16>::strided({b.data(), k, n}, count, k * n);
    const double bound = error_bound<float>(k * count);
    for (const auto &ctx : contexts_of_every_isa({}))
        for (const bf16_sums sums : {bf16_sums::widened, bf16_sums::dot_products}) {
            const auto sum_on = [&](int threads) {
                std::vector<float> c(static_cast<std::size_t>(m * n));
                gemm_batch_reduce(as, bs, matrix_view<float>{c.data(), m, n},
                                  {.alpha = 1.5, .threads = threads, .ctx = ctx.get()}, sums);
                return c;
            };
            const std::vector<float> c = sum_on(1);
            for (const int threads : {2, 3, 4})
                EXPECT_EQ(sum_on(threads), c) << name(ctx->isa()) << " on " << threads;
            for (index_t i = 0; i < m; ++i)
                for (index_t j = 0; j < n; ++j) {
                    exact_element element;
                    for (index_t l = 0; l < count; ++l)
                        for (index_t p = 0; p < k; ++p)
                            element.add_product(
                                static_cast<float>(
                                    a[static_cast<std::size_t>((l * k + p) * m + i)]),
                                static_cast<float>(
                                    b[static_cast<std::size_t>((l * n + j) * k + p)]));
                    element.finish(1.5, 0.0, 0.0);
                    EXPECT_LE(element.relative_error(c[static_cast<std::size_t>(i + j * m)]), bound)
                        << name(ctx->isa());
                }
        }
}

TEST(gemm_mixed_sums, epilogues_follow_the_last_update) {
    const summed_operands<bf16> x;
    const std::vector<float> bias{100, 200};
    epilogue finish;
    finish.add_along_columns(bias.data(), 2).scale(-1.0);
    const gemm_options options{.epilogue = &finish};
    std::vector<float> c(4);
    for (const auto &a : x.batches()) {
        gemm_batch_reduce(a, x.b, matrix_view<float>{c.data() + 1, 2, 2, -1, 2}, options);
        EXPECT_EQ(c, (std::vector<float>{-494, -232, -584, -268}));
    }
    // Leaves.
    const auto many = matrix_batch<const bf16>::strided(x.one.view_a, 2000, 0);
    const auto as_many = matrix_batch<const bf16>::strided(x.one.view_b, 2000, 0);
    gemm_batch_reduce(many, as_many, matrix_view<float>{c.data(), 2, 2}, options);
    EXPECT_EQ(c, (std::vector<float>{-44100, -98200, -56100, -128200}));

    const operands<std::int8_t> y;
    std::vector<std::int32_t> d(4, 5);
    const auto ya = matrix_batch<const std::int8_t>::strided(y.view_a, 2, 0);
    const auto yb = matrix_batch<const std::int8_t>::strided(y.view_b, 2, 0);
    const matrix_view<std::int32_t> view_d{d.data(), 2, 2};
    EXPECT_EQ(
        message_of([&] { gemm_batch_reduce(ya, yb, view_d, {.beta = 0.5}); }, errc::type_mismatch),
        "gemm_batch_reduce: beta is no integer of 32 bits, but the matrices are of integers");
    EXPECT_EQ(message_of([&] { gemm_batch_reduce(ya, yb, view_d, options); }, errc::type_mismatch),
              "gemm: epilogue step 1 is of type f32, C has type i32");
    EXPECT_EQ(d, std::vector<std::int32_t>(4, 5));
    const std::vector<std::int32_t> integer_bias{100, 200};
    epilogue wraps;
    wraps.add_along_columns(integer_bias.data(), 2).scale(-1.0);
    gemm_batch_reduce(ya, yb, view_d, {.epilogue = &wraps});
    EXPECT_EQ(d, (std::vector<std::int32_t>{-144, -298, -156, -328}));
}

} // namespace
} // namespace tenfold::testing
