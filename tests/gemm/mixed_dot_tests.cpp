// Tests bf16 products by dot products of pairs: instruction and emulation must agree bit for bit.
#include <array>
#include <bit>

#include "gemm/mixed_matrices.hpp"

namespace tenfold::testing {
namespace {

constexpr float smallest_normal = 0x1p-126F;

float without_subnormals(float x) {
    return std::abs(x) < smallest_normal ? std::copysign(0.0F, x) : x;
}

/// One step of the definition: sum + a b by the C library's fused multiply-add, rounded to nearest
/// even. The result is flushed if it is subnormal after rounding with an unbounded exponent.
/// Computing with numbers 2^80 times as large decides that.
float add_product(float sum, float a, float b) {
    sum = without_subnormals(sum);
    a = without_subnormals(a);
    b = without_subnormals(b);
    const float result = std::fma(a, b, sum);
    if (!(std::abs(result) < 2 * smallest_normal) || result == 0)
        return result;
    // The smaller factor is scaled, which cannot overflow for so small a result.
    float &smaller = std::abs(a) < std::abs(b) ? a : b;
    smaller *= 0x1p80F;
    const float scaled = std::fma(a, b, sum * 0x1p80F);
    return std::abs(scaled) < smallest_normal * 0x1p80F ? std::copysign(0.0F, result) : result;
}

/// An odd k is padded by a zero, which turns a sum of -0 into 0.
float dot(float sum, const std::vector<bf16> &a, const std::vector<bf16> &b) {
    const auto at = [](const std::vector<bf16> &x, std::size_t p) {
        return p < x.size() ? static_cast<float>(x[p]) : 0.0F;
    };
    for (std::size_t p = 0; p < a.size(); p += 2) {
        sum = add_product(sum, at(a, p + 1), at(b, p + 1));
        sum = add_product(sum, at(a, p), at(b, p));
    }
    return sum;
}

/// bf16 numbers of all kinds: any bits; around 1; small, with products around the smallest normal
/// number; large, with products around the largest number; special ones.
bf16 any_number(random_source &random, int kind) {
    bf16 x;
    x.bits = static_cast<std::uint16_t>(random.integer(0, 0xffff));
    const auto with_exponent = [&](std::int64_t low, std::int64_t high) {
        x.bits = static_cast<std::uint16_t>(
            (x.bits & 0x807fU) | (static_cast<unsigned>(random.integer(low, high)) << 7));
    };
    if (kind == 1)
        with_exponent(120, 134);
    if (kind == 2)
        with_exponent(50, 72);
    if (kind == 3)
        with_exponent(186, 192);
    if (kind == 4)
        x.bits = random.pick<std::uint16_t>({0, 0x8000, 0x7f80, 0xff80, 0x7fc0, 1, 0x8001, 0x007f,
                                             0x0080, 0x8080, 0x3f80, 0xbf80, 0x7f7f});
    return x;
}

bool same(float x, float y) {
    return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y) ||
           (std::isnan(x) && std::isnan(y));
}

TEST(gemm_mixed_dot, every_kernel_is_the_definition_bit_for_bit) {
    int kernels = 0;
    for (const auto &kernel : gemm_impl::mixed_kernels()) {
        if (kernel.product != mixed_product::bf16_dot || !runs(this_machine(), kernel))
            continue;
        ++kernels;
        for (const int number : cases(300)) {
            SCOPED_TRACE(rerun_line(number));
            random_source random(number);
            const int kind = number % 5;
            const index_t k = random.integer(1, 9);
            const index_t m = kernel.loops.mr;
            const index_t n = kernel.loops.nr;
            std::vector<std::vector<bf16>> a(static_cast<std::size_t>(m));
            std::vector<std::vector<bf16>> b(static_cast<std::size_t>(n));
            std::vector<bf16> rows; // row-major A, then column-major B
            for (auto *vectors : {&a, &b})
                for (auto &vector : *vectors)
                    for (index_t p = 0; p < k; ++p) {
                        vector.push_back(any_number(random, kind));
                        rows.push_back(vector.back());
                    }
            alignas(64) std::array<std::byte, 64 * 8 * 4> panel_a{};
            alignas(64) std::array<std::byte, 64 * 8 * 4> panel_b{};
            const gemm_impl::panel_source source_a{rows.data(), m, k, k, 1, false};
            const gemm_impl::panel_source source_b{rows.data() + m * k, n, k, k, 1, false};
            kernel.loops.pack_a(&source_a, panel_a.data());
            kernel.loops.pack_b(&source_b, panel_b.data());
            std::vector<float> d(static_cast<std::size_t>(m * n));
            const float one = 1;
            const float zero = 0;
            gemm_impl::micro_tile tile{};
            tile.m = m;
            tile.n = n;
            tile.k = k;
            tile.a = panel_a.data();
            tile.b = panel_b.data();
            tile.alpha = &one;
            tile.beta = &zero;
            tile.d = d.data();
            tile.row_stride = 1;
            tile.column_stride = m;
            kernel.loops.multiply(&tile);
            for (index_t i = 0; i < m; ++i)
                for (index_t j = 0; j < n; ++j) {
                    const float is = d[static_cast<std::size_t>(i + j * m)];
                    const float should =
                        dot(0, a[static_cast<std::size_t>(i)], b[static_cast<std::size_t>(j)]);
                    ASSERT_TRUE(same(is, should))
                        << kernel.name << ", kind " << kind << ", k " << k << ": " << std::hexfloat
                        << is << " is not " << should;
                }
        }
    }
    EXPECT_GE(kernels, 1);
}

/// Results just below 2^-126. One that rounds to the smallest normal number only because subnormal
/// numbers have fewer digits is flushed; one that rounds to it anyway is not.
TEST(gemm_mixed_dot, results_are_flushed_after_rounding) {
    const std::vector<bf16> a{bf16(-0x1.8p-75F), bf16(0x1p-63F)};
    const std::vector<bf16> tiny{bf16(0x1p-75F), bf16(0x1p-63F)};
    const std::vector<bf16> lost{bf16(0x1p-77F), bf16(0x1p-63F)};
    EXPECT_EQ(dot(0, a, tiny), 0);               // 2^-126 - 1.5 x 2^-150
    EXPECT_EQ(dot(0, a, lost), smallest_normal); // 2^-126 - 1.5 x 2^-152
    for_each_platform([&](const gemm_impl::gemm_plan_options &options) {
        const mixed_plan plan(mixed_product::bf16_dot, {data_type::f32, 1, 1, 2, 1, 1, 1, 2, 1, 1},
                              options);
        aligned_workspace workspace(plan);
        for (const auto &b : {tiny, lost}) {
            float d = 0;
            plan.execute<float>({1.0F, a.data(), b.data(), 0.0F, &d, workspace.data()});
            EXPECT_EQ(d, dot(0, a, b)) << plan.describe();
        }
    });
}

/// Tests whole products with k in several blocks, with and without leaves: the same bits on every
/// instruction set and for any number of threads.
void check_one_result(bool leaves) {
    random_source random(0);
    SCOPED_TRACE(rerun_line(0));
    constexpr index_t m = 60;
    constexpr index_t n = 11;
    const index_t k = leaves ? 10001 : 4001;
    std::vector<bf16> a(static_cast<std::size_t>(m * k));
    std::vector<bf16> b(static_cast<std::size_t>(k * n));
    for (auto *matrix : {&a, &b})
        for (bf16 &x : *matrix)
            x = any_number(random, 1);
    const auto product = [&](const gemm_impl::gemm_plan_options &options) {
        const mixed_plan plan(mixed_product::bf16_dot, {data_type::f32, m, n, k, 1, m, 1, k, 1, m},
                              options);
        EXPECT_LT(plan.blocks().kc, k);
        EXPECT_EQ(plan.leaves() > 1, leaves);
        aligned_workspace workspace(plan);
        std::vector<float> d(static_cast<std::size_t>(m * n));
        plan.execute<float>({1.0F, a.data(), b.data(), 0.0F, d.data(), workspace.data()});
        return d;
    };
    const base::machine machine = base::machine::detect();
    const std::vector<float> expected =
        product({.instruction_set = isa::generic, .machine = &machine});
    for_each_platform([&](gemm_impl::gemm_plan_options options) {
        for (const int threads : {1, 2, 3, 4}) {
            options.threads = threads;
            EXPECT_EQ(product(options), expected)
                << name(options.instruction_set) << " on " << threads;
        }
    });
}

TEST(gemm_mixed_dot, results_do_not_depend_on_the_processor_or_the_threads) {
    check_one_result(false);
    check_one_result(true);
}

} // namespace
} // namespace tenfold::testing
