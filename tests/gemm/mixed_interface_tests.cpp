// Tests the public gemm() of mixed types: arguments and errors.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include <tenfold/epilogue.hpp>

#include "gemm/mixed_operands.hpp"
#include "support/every_isa.hpp"
#include "support/message_of.hpp"

namespace tenfold::testing {
namespace {

template <class Types> class gemm_mixed_interface : public ::testing::Test {};
TYPED_TEST_SUITE(gemm_mixed_interface, mixed_type_pairs);

TYPED_TEST(gemm_mixed_interface, layouts_alpha_and_beta) {
    using out = typename TypeParam::out;
    const operands<typename TypeParam::in> x;
    std::vector<out> c(4, std::numeric_limits<out>::has_quiet_NaN
                              ? std::numeric_limits<out>::quiet_NaN()
                              : std::numeric_limits<out>::max());
    gemm(x.view_a, x.view_b, matrix_view<out>{c.data(), 2, 2});
    EXPECT_EQ(c, (std::vector<out>{22, 49, 28, 64}));
    gemm(x.view_a, x.view_b, matrix_view<out>{c.data(), 2, 2, 2, 1});
    EXPECT_EQ(c, (std::vector<out>{22, 28, 49, 64}));
    gemm(x.view_b.transposed(), x.view_a.transposed(), matrix_view<out>{c.data() + 1, 2, 2, -1, 2},
         {.alpha = -1.0});
    EXPECT_EQ(c, (std::vector<out>{-28, -22, -64, -49}));
    gemm(x.view_a, x.view_b, matrix_view<out>{c.data(), 2, 2}, {.alpha = 2.0, .beta = 3.0});
    EXPECT_EQ(c, (std::vector<out>{-40, 32, -136, -19}));
    gemm(x.view_a, x.view_b, matrix_view<out>{c.data(), 2, 2}, {.alpha = 0.0, .beta = -1.0});
    EXPECT_EQ(c, (std::vector<out>{40, -32, 136, 19}));
}

TYPED_TEST(gemm_mixed_interface, errors_are_those_of_gemm) {
    using in = typename TypeParam::in;
    using out = typename TypeParam::out;
    const operands<in> x;
    std::vector<out> c(9, 5);
    const matrix_view<out> view_c{c.data(), 2, 2};
    const auto message = [&](const matrix_view<const in> &a, const matrix_view<const in> &b,
                             const matrix_view<out> &to, const gemm_options &options, errc code) {
        return message_of([&] { gemm(a, b, to, options); }, code);
    };
    EXPECT_EQ(message(x.view_a, x.view_b, {c.data(), 3, 2}, {}, errc::extent_mismatch),
              "gemm: m: rows of A is 2, rows of C is 3");
    EXPECT_EQ(message(x.view_a, x.view_a, {c.data(), 2, 3}, {}, errc::extent_mismatch),
              "gemm: k: columns of A is 3, rows of B is 2");
    EXPECT_EQ(message({x.a.data(), 2, -1}, x.view_b, view_c, {}, errc::invalid_argument),
              "gemm: A has 2 rows and -1 columns; neither may be negative");
    EXPECT_EQ(message(x.view_a, x.view_b, {nullptr, 2, 2}, {}, errc::null_pointer),
              "gemm: C is null");
    EXPECT_EQ(message({nullptr, 2, 3}, x.view_b, view_c, {}, errc::null_pointer),
              "gemm: A is null");
    EXPECT_EQ(message(x.view_a, {nullptr, 3, 2}, view_c, {}, errc::null_pointer),
              "gemm: B is null");
    EXPECT_EQ(message(x.view_a, x.view_b, {c.data(), 2, 2, 1, 1}, {}, errc::overlap),
              "gemm: C overlaps itself: row stride 1, column stride 1");
    const auto *inside = reinterpret_cast<const in *>(c.data() + 1);
    EXPECT_EQ(message(x.view_a, {inside, 3, 2}, view_c, {}, errc::overlap),
              "gemm: C overlaps B; copy B or write to another matrix");
    EXPECT_EQ(message(x.view_a, x.view_b, view_c, {.threads = -1}, errc::invalid_argument),
              "gemm: threads is -1; it is 0 to 4096");
    message(x.view_a, x.view_b, view_c, {.alpha = scalar(1, 1)}, errc::type_mismatch);
    EXPECT_EQ(c, std::vector<out>(9, 5)); // nothing was written
    gemm(matrix_view<const in>{nullptr, 2, 3}, matrix_view<const in>{nullptr, 3, 2}, view_c,
         {.alpha = 0.0, .beta = 2.0});
    EXPECT_EQ(c, (std::vector<out>{10, 10, 10, 10, 5, 5, 5, 5, 5}));
    gemm(matrix_view<const in>{nullptr, 2, 0}, matrix_view<const in>{nullptr, 0, 2}, view_c);
    EXPECT_EQ(c, (std::vector<out>{0, 0, 0, 0, 5, 5, 5, 5, 5}));
}

/// The epilogue runs in every orientation: row- and column-major C, rows from the last to the
/// first, and products that are not computed at all.
TEST(gemm_mixed_epilogue, follows_the_last_update) {
    const operands<bf16> x;
    const std::vector<float> bias{100, 200};
    epilogue finish;
    finish.add_along_columns(bias.data(), 2).scale(-1.0);
    const gemm_options options{.epilogue = &finish};
    std::vector<float> c(4);
    gemm(x.view_a, x.view_b, matrix_view<float>{c.data(), 2, 2}, options);
    EXPECT_EQ(c, (std::vector<float>{-122, -249, -128, -264}));
    gemm(x.view_a, x.view_b, matrix_view<float>{c.data(), 2, 2, 2, 1}, options);
    EXPECT_EQ(c, (std::vector<float>{-122, -128, -249, -264}));
    gemm(x.view_a, x.view_b, matrix_view<float>{c.data() + 1, 2, 2, -1, 2}, options);
    EXPECT_EQ(c, (std::vector<float>{-249, -122, -264, -128}));
    gemm(x.view_a, x.view_b, matrix_view<float>{c.data(), 2, 2},
         {.alpha = 0.0, .epilogue = &finish});
    EXPECT_EQ(c, (std::vector<float>{-100, -200, -100, -200}));
}

/// In every orientation, modulo 2^32; on every instruction set also of a product that threads share
/// and whose k is cut into blocks.
TEST(gemm_mixed_epilogue, integers_wrap_around) {
    const operands<std::int8_t> x;
    const std::vector<std::int32_t> bias{100, 200};
    epilogue finish;
    finish.add_along_columns(bias.data(), 2).scale(-1.0);
    const gemm_options options{.epilogue = &finish};
    std::vector<std::int32_t> c(4);
    gemm(x.view_a, x.view_b, matrix_view<std::int32_t>{c.data(), 2, 2}, options);
    EXPECT_EQ(c, (std::vector<std::int32_t>{-122, -249, -128, -264}));
    gemm(x.view_a, x.view_b, matrix_view<std::int32_t>{c.data() + 1, 2, 2, -1, 2}, options);
    EXPECT_EQ(c, (std::vector<std::int32_t>{-249, -122, -264, -128}));
    gemm(x.view_a, x.view_b, matrix_view<std::int32_t>{c.data(), 2, 2},
         {.alpha = 0.0, .epilogue = &finish});
    EXPECT_EQ(c, (std::vector<std::int32_t>{-100, -200, -100, -200}));

    constexpr index_t m = 130, n = 70, k = 3000;
    std::vector<std::uint8_t> a(m * k);
    std::vector<std::int8_t> b(k * n);
    std::vector<std::int32_t> other(m * n);
    for (std::size_t i = 0; i < a.size(); ++i)
        a[i] = static_cast<std::uint8_t>(i * 7 % 251);
    for (std::size_t i = 0; i < b.size(); ++i)
        b[i] = static_cast<std::int8_t>(i * 11 % 253);
    for (std::size_t i = 0; i < other.size(); ++i)
        other[i] = static_cast<std::int32_t>(i * 65537);
    epilogue steps;
    steps.multiply(matrix_view<const std::int32_t>{other.data(), m, n}, 3.0)
        .apply(elementwise::relu)
        .scale(-0x1p31 + 1);
    const matrix_view<const std::uint8_t> view_a{a.data(), m, k};
    const matrix_view<const std::int8_t> view_b{b.data(), k, n};
    std::vector<std::int32_t> product(m * n);
    gemm(view_a, view_b, matrix_view<std::int32_t>{product.data(), m, n});
    for (std::size_t i = 0; i < product.size(); ++i) {
        const std::uint32_t times =
            static_cast<std::uint32_t>(product[i]) * 3 * static_cast<std::uint32_t>(other[i]);
        const std::uint32_t kept = times < 0x80000000U ? times : 0;
        product[i] = static_cast<std::int32_t>(kept * 0x80000001U);
    }
    for (const auto &ctx : contexts_of_every_isa({}))
        for (const int threads : {1, 2}) {
            std::vector<std::int32_t> found(m * n);
            gemm(view_a, view_b, matrix_view<std::int32_t>{found.data(), m, n},
                 {.threads = threads, .ctx = ctx.get(), .epilogue = &steps});
            EXPECT_EQ(found, product) << name(ctx->isa());
        }
}

TEST(gemm_mixed_epilogue, what_integers_do_not_have_is_refused) {
    const operands<std::int8_t> x;
    std::vector<std::int32_t> c(4, 5);
    const std::vector<float> bias(2);
    const auto message = [&](const epilogue &finish, errc code) {
        return message_of(
            [&] {
                gemm(x.view_a, x.view_b, matrix_view<std::int32_t>{c.data(), 2, 2},
                     {.epilogue = &finish});
            },
            code);
    };
    EXPECT_EQ(message(epilogue().scale(0.5), errc::type_mismatch),
              "gemm: epilogue step 1: the factor is no integer of 32 bits, but C has type i32");
    EXPECT_EQ(message(epilogue().add_along_columns(bias.data(), 2), errc::type_mismatch),
              "gemm: epilogue step 1 is of type f32, C has type i32");
    EXPECT_EQ(message(epilogue().apply(elementwise::exp), errc::unsupported),
              "gemm: epilogue step 1: exp is a function of real numbers, but C has type i32, to "
              "which relu and functions of the caller's can be applied");
    EXPECT_EQ(c, std::vector<std::int32_t>(4, 5));
}

TEST(gemm_mixed_integers, unsigned_by_signed) {
    const std::vector<std::uint8_t> a{200, 255, 3, 128};
    const std::vector<std::int8_t> b{-128, 127, 1, -1};
    const matrix_view<const std::uint8_t> view_a{a.data(), 2, 2};
    const matrix_view<const std::int8_t> view_b{b.data(), 2, 2};
    const std::vector<std::int32_t> columns{200 * -128 + 3 * 127, 255 * -128 + 128 * 127, 197, 127};
    std::vector<std::int32_t> c(4, 1);
    gemm(view_a, view_b, matrix_view<std::int32_t>{c.data(), 2, 2});
    EXPECT_EQ(c, columns);
    gemm(view_a, view_b, matrix_view<std::int32_t>{c.data(), 2, 2, 2, 1});
    EXPECT_EQ(c, (std::vector<std::int32_t>{columns[0], columns[2], columns[1], columns[3]}));
}

TEST(gemm_mixed_integers, factors_are_integers_of_32_bits) {
    const operands<std::int8_t> x;
    std::vector<std::int32_t> c(4, 1);
    const matrix_view<std::int32_t> view_c{c.data(), 2, 2};
    for (const scalar factor : {scalar(0.5), scalar(0x1p31), scalar(-0x1p31 - 1), scalar(0, 1),
                                scalar(std::numeric_limits<double>::quiet_NaN())}) {
        EXPECT_EQ(message_of([&] { gemm(x.view_a, x.view_b, view_c, {.alpha = factor}); },
                             errc::type_mismatch),
                  "gemm: alpha is no integer of 32 bits, but the matrices are of integers");
        EXPECT_EQ(message_of([&] { gemm(x.view_a, x.view_b, view_c, {.beta = factor}); },
                             errc::type_mismatch),
                  "gemm: beta is no integer of 32 bits, but the matrices are of integers");
    }
    EXPECT_EQ(c, std::vector<std::int32_t>(4, 1));
    // 22 x -2^31 is 0 modulo 2^32, and 49 x -2^31 is -2^31.
    gemm(x.view_a, x.view_b, view_c, {.alpha = -0x1p31, .beta = 0x1p31 - 1});
    constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
    EXPECT_EQ(c, (std::vector<std::int32_t>{most, -1, most, most}));
}

TEST(gemm_mixed_bf16, both_kinds_of_sums_on_every_instruction_set) {
    const operands<bf16> x;
    for (const auto &ctx : contexts_of_every_isa({}))
        for (const bf16_sums sums :
             {bf16_sums::automatic, bf16_sums::widened, bf16_sums::dot_products}) {
            std::vector<float> c(4);
            gemm(x.view_a, x.view_b, matrix_view<float>{c.data(), 2, 2}, {.ctx = ctx.get()}, sums);
            EXPECT_EQ(c, (std::vector<float>{22, 49, 28, 64}));
            // Only sums that are widened keep a subnormal number.
            const bf16 subnormal(0x1p-130F);
            const bf16 large(0x1p20F);
            float d = 0;
            gemm(matrix_view<const bf16>{&subnormal, 1, 1}, matrix_view<const bf16>{&large, 1, 1},
                 matrix_view<float>{&d, 1, 1}, {.ctx = ctx.get()}, sums);
            if (sums != bf16_sums::automatic) {
                EXPECT_EQ(d, sums == bf16_sums::widened ? 0x1p-110F : 0.0F);
            }
        }
}

} // namespace
} // namespace tenfold::testing
