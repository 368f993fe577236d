// Tests which kernels of mixed products serve an instruction set, and by which of them bf16 is
// summed.
#include <set>

#include <tenfold/gemm_mixed.hpp>

#include "gemm/mixed_matrices.hpp"
#include "gemm/plan/choose.hpp"
#include "support/described_machines.hpp"

namespace tenfold::testing {
namespace {

TEST(gemm_mixed, names_decode_product_tile_and_instruction_set) {
    std::set<std::string_view> names;
    for (const auto &one : gemm_impl::mixed_kernels()) {
        const std::string middle =
            "_gemm_" + std::to_string(one.loops.mr) + "x" + std::to_string(one.loops.nr) + "__";
        EXPECT_NE(one.name.find(middle + std::string(one.variant.name)), std::string::npos)
            << one.name;
        EXPECT_TRUE(names.insert(one.name).second) << one.name;
        EXPECT_EQ(one.loops.mr % one.loops.vector_length, 0);
        EXPECT_NE(one.loops.multiply, nullptr);
    }
}

TEST(gemm_mixed, selection_follows_the_instruction_set_and_its_features) {
    for (const isa set : this_machine().isas)
        for_each_product([&]<class Types>(Types, mixed_product product) {
            const auto &found = gemm_impl::select(product, set, this_machine());
            EXPECT_EQ(found.product, product);
            EXPECT_TRUE(simd::serves(found.variant, set)) << found.name;
            EXPECT_TRUE(runs(this_machine(), found)) << found.name;
            EXPECT_TRUE(gemm_impl::runs(this_machine(), found));
        });
    base::machine with = this_machine();
    with.isas = {isa::avx512, isa::avx2, isa::generic};
    base::machine without = with;
    with.avx512_bf16 = with.avx512_vnni = true;
    without.avx512_bf16 = without.avx512_vnni = false;
#if defined(__x86_64__)
    const auto ends_with = [](const auto &kernel, std::string_view end) {
        return kernel.name.ends_with(end);
    };
    EXPECT_TRUE(ends_with(gemm_impl::select(mixed_product::i8, isa::avx512, with), "__avx512vnni"));
    EXPECT_TRUE(ends_with(gemm_impl::select(mixed_product::i8, isa::avx512, without), "__avx512"));
    EXPECT_TRUE(ends_with(gemm_impl::select(mixed_product::i8, isa::generic, with), "__generic"));
    EXPECT_TRUE(
        ends_with(gemm_impl::select(mixed_product::bf16_dot, isa::avx512, with), "__avx512bf16"));
    EXPECT_TRUE(
        ends_with(gemm_impl::select(mixed_product::bf16_dot, isa::generic, with), "__generic"));
#endif
}

TEST(gemm_mixed, bf16_that_may_be_summed_either_way_is_summed_the_faster_way) {
    const auto described = wide_machine();
    base::machine machine = described.machine;
    base::machine_rates rates = described.rates;
    gemm_impl::gemm_plan_options options;
    options.machine = &machine;
    options.rates = &rates;
    options.instruction_set = isa::avx512;
    const auto chosen = [&] { return gemm_impl::choose_bf16(options); };
#if defined(__x86_64__) // the others' kernels emulate dot products
    const mixed_product where_faster = mixed_product::bf16_dot;
#else
    const mixed_product where_faster = mixed_product::bf16_widened;
#endif
    EXPECT_EQ(chosen(), mixed_product::bf16_widened) << "never by an emulation";
    machine.avx512_bf16 = true;
    EXPECT_EQ(chosen(), where_faster);
    options.reproducible = true;
    EXPECT_EQ(chosen(), mixed_product::bf16_widened) << "on every machine";
    options.reproducible = false;
    for (const auto &[set, expected] : {std::pair(isa::avx2, mixed_product::bf16_widened),
                                        std::pair(isa::generic, mixed_product::bf16_widened)}) {
        options.instruction_set = set;
        EXPECT_EQ(chosen(), expected) << name(set);
    }
    options.instruction_set = isa::avx512;
    // The choice turns where the rates are equal; of equals, the one that keeps subnormals is
    // taken.
    rates.dot_flops_bf16 = 1.01 * rates.fma_flops_f32;
    EXPECT_EQ(chosen(), where_faster);
    rates.dot_flops_bf16 = rates.fma_flops_f32;
    EXPECT_EQ(chosen(), mixed_product::bf16_widened);
    rates.dot_flops_bf16 = 0;
    EXPECT_EQ(chosen(), mixed_product::bf16_widened);
    options.rates = nullptr;
    EXPECT_EQ(chosen(), where_faster) << "by typical rates";
}

TEST(gemm_mixed, terms_are_joined_where_that_is_predicted_to_take_no_longer) {
    const auto described = wide_machine();
    gemm_impl::gemm_plan_options options;
    options.machine = &described.machine;
    options.rates = &described.rates;
    options.instruction_set = isa::avx512;
    int joined = 0;
    for_each_product([&]<class Types>(Types, mixed_product product) {
        for (const index_t m : {4, 16, 100, 600})
            for (const index_t n : {16, 100})
                for (const index_t k : {1, 8, 50, 200}) {
                    const gemm_impl::gemm_shape shape{data_type::f32, m, n, k, 1, m, k, 1, 1, m};
                    options.whole = {};
                    options.whole.sums = options.whole.series = true;
                    const mixed_plan chain(product, shape, options);
                    const double one_by_one = chain.predicted_seconds(options);
                    EXPECT_EQ(chain.terms_at_once(), 1);
                    options.whole.terms = 300;
                    const mixed_plan plan(product, shape, options);
                    if (plan.terms_at_once() == 1)
                        continue;
                    ++joined;
                    EXPECT_LE(plan.predicted_seconds(options), one_by_one)
                        << plan.describe() << ", m n k " << m << ' ' << n << ' ' << k;
                }
    });
    EXPECT_GT(joined, 0);
}

TEST(gemm_mixed, calls_choose_by_the_rates_of_their_context) {
    // The smallest f32 subnormal that is a bf16 number: dot products take it for zero.
    bf16 tiny(0.0F);
    tiny.bits = 1;
    const bf16 one(1.0F);
    base::described_machine described = wide_machine();
    described.machine = this_machine();
    for (const double times : {0.5, 2.0}) {
        described.rates.dot_flops_bf16 = times * described.rates.fma_flops_f32;
        for (const bool reproducible : {false, true}) {
            settings chosen;
            chosen.threads = 1;
            chosen.reproducible = reproducible;
            const auto ctx = described.make_context(chosen);
            const bool dots =
                times > 1 && !reproducible &&
                gemm_impl::has_instruction(mixed_product::bf16_dot, ctx->isa(), this_machine());
            float c = -1;
            gemm_options options;
            options.ctx = ctx.get();
            gemm({&tiny, 1, 1}, {&one, 1, 1}, matrix_view<float>{&c, 1, 1}, options);
            EXPECT_EQ(c == 0, dots) << times << reproducible;
            for (const bool dot : {false, true}) {
                gemm({&tiny, 1, 1}, {&one, 1, 1}, matrix_view<float>{&c, 1, 1}, options,
                     dot ? bf16_sums::dot_products : bf16_sums::widened);
                EXPECT_EQ(c == 0, dot) << "what is asked for is what is computed";
            }
        }
    }
}

} // namespace
} // namespace tenfold::testing
