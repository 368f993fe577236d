// Tests what products are predicted to take.
#include "gemm/matrices.hpp"

#include "base/rates.hpp"
#include "gemm/forms/interleaved.hpp"
#include "support/described_machines.hpp"

namespace tenfold::testing {
namespace {

using gemm_impl::gemm_plan;

TEST(gemm_plan, predictions_are_made_of_rates_alone) {
    const isa set = this_machine().best_isa();
    const auto typical = base::machine_rates::typical_of(set);
    base::machine_rates twice = typical; // everything is twice as fast
    for (const base::rate &one : base::all_rates())
        if (one.in == base::rate::unit::seconds)
            twice.*one.value /= 2;
        else if (one.in != base::rate::unit::fraction)
            twice.*one.value *= 2;
    const std::array<index_t, 3> extents[] = {{300, 200, 400}, {1, 5000, 3000}, {1, 1, 70000},
                                              {4000, 3000, 1}, {300, 200, 0},   {4, 90000, 30}};
    for (const int threads : {1, 3})
        for (const auto &[m, n, k] : extents) {
            const gemm_impl::gemm_shape shape{data_type::f64, m, n, k, 1, m, 1, k, 1, m};
            auto options = plan_options(set, threads);
            const double assumed = gemm_plan(shape, options).predicted_seconds(options);
            options.rates = &typical;
            EXPECT_EQ(gemm_plan(shape, options).predicted_seconds(options), assumed);
            options.rates = &twice;
            EXPECT_NEAR(gemm_plan(shape, options).predicted_seconds(options) / assumed, 0.5, 1e-12);
        }
}

/// Of two machines with the same flops, the one that needs a cycle for each multiply-add has
/// shorter cycles: what a tile takes beside them costs less, multiply-adds as much.
TEST(gemm_plan, tiles_cost_cycles_and_multiply_adds_cost_flops) {
    auto options = plan_options(this_machine().best_isa());
    options.packs_small = false;
    base::machine_rates two = base::machine_rates::typical_of(options.instruction_set);
    base::machine_rates one = two;
    one.fmas_per_cycle = 1;
    const auto predicted = [&](index_t n, index_t k, const base::machine_rates &rates) {
        options.rates = &rates;
        return gemm_plan({data_type::f64, n, n, k, 1, n, 1, k, 1, n}, options)
            .predicted_seconds(options);
    };
    EXPECT_LT(predicted(4, 1, one), 0.95 * predicted(4, 1, two));
    EXPECT_NEAR(predicted(512, 512, one) / predicted(512, 512, two), 1, 0.05);
}

TEST(gemm_plan, rows_pages_apart_cost_more_than_adjacent_ones) {
    auto options = plan_options(this_machine().best_isa());
    const index_t m = 60, k = 5;
    const auto predicted = [&](index_t row_stride, double whole) {
        options.whole = {whole, 5, whole / 5};
        options.whole.series = true;
        const gemm_plan plan({data_type::f64, m, 1, k, row_stride, 1, 1, k, 1, m}, options);
        return plan.predicted_seconds(options);
    };
    constexpr double in_memory = 1e8, in_l2 = 1e3;
    EXPECT_GT(predicted(6000, in_memory), 1.2 * predicted(k, in_memory));
    EXPECT_EQ(predicted(6000, in_l2), predicted(k, in_l2));
}

TEST(gemm_plan, terms_of_a_sum_find_d_in_a_cache) {
    auto options = plan_options(this_machine().best_isa());
    const auto predicted = [&](double terms, double whole_d) {
        options.whole = {1e3, 1e3, whole_d};
        options.whole.series = true;
        options.whole.sums = terms > 1;
        options.whole.terms = terms;
        const gemm_plan plan({data_type::f64, 20, 4, 4, 1, 20, 1, 4, 20, 400}, options);
        return plan.predicted_seconds(options);
    };
    constexpr double in_memory = 1e8, in_l2 = 1e3;
    EXPECT_GT(predicted(1, in_memory), 1.2 * predicted(1, in_l2));
    EXPECT_LT(predicted(1000, in_memory), 1.02 * predicted(1000, in_l2));
}

TEST(gemm_plan, predictions_grow_with_the_work) {
    const auto options = plan_options(this_machine().best_isa());
    double last = 0;
    for (const index_t n : {8, 32, 128, 512, 2048}) {
        const gemm_plan plan({data_type::f64, n, n, n, 1, n, 1, n, 1, n}, options);
        EXPECT_GT(plan.predicted_seconds(options), last);
        last = plan.predicted_seconds(options);
    }
}

/// The options of products on wide_machine(), with kernels that every build has.
gemm_impl::gemm_plan_options wide_options() {
    static const base::described_machine wide = wide_machine();
    auto options = plan_options(isa::generic);
    options.machine = &wide.machine;
    options.rates = &wide.rates;
    return options;
}

TEST(gemm_plan, columns_that_cut_lines_cost_more_past_the_caches) {
    const auto options = wide_options();
    const base::machine_rates &rates = *options.rates;
    const index_t n = 1'000'000;
    const auto seconds_of_byte = [&](index_t m, index_t column_stride) {
        const gemm_plan plan({data_type::f64, m, n, 1, 1, m, 1, 1, 1, column_stride}, options);
        return plan.predicted_seconds(options) / static_cast<double>(m * n * 8);
    };
    const double filled = seconds_of_byte(72, 80);
    EXPECT_NEAR(filled, 1 / rates.memory(1), 0.2 / rates.memory(1));
    EXPECT_GT(seconds_of_byte(71, 80), 1.05 * filled);           // each column cuts one line
    EXPECT_GT(seconds_of_byte(71, 81), seconds_of_byte(71, 80)); // or two
}

/// D's strip stays in L2 from one piece of k to the next.
TEST(gemm_plan, streamed_products_take_as_long_as_their_pieces) {
    const auto options = wide_options();
    const auto predicted = [&](index_t k) {
        const gemm_plan plan({data_type::f64, 2000, 16, k, 1, 2000, 1, k, 1, 2000}, options);
        EXPECT_EQ(plan.form(), gemm_impl::gemm_form::streamed);
        return plan.predicted_seconds(options) / static_cast<double>(k);
    };
    EXPECT_NEAR(predicted(24'000) / predicted(3'000), 1, 0.1);
}

/// Each row of tiles reads all of B: a micro-panel of it would fit L1.
TEST(gemm_plan, tall_products_read_all_columns_of_a_scattered_b_again) {
    const auto options = wide_options();
    const auto predicted = [&](index_t columns, index_t row_stride) {
        const index_t k = 44;
        const gemm_plan plan(
            {data_type::f64, 2000, columns, k, 1, 2000, row_stride, k * row_stride, 1, 2000},
            options);
        EXPECT_EQ(plan.form(), gemm_impl::gemm_form::streamed);
        return plan.predicted_seconds(options);
    };
    EXPECT_GT(predicted(16, 88), 1.3 * predicted(16, 1));
    EXPECT_LT(predicted(4, 88), 1.1 * predicted(4, 1));
}

TEST(gemm_plan, outputs_go_back_to_l3_while_others_arrive) {
    auto options = wide_options();
    const auto seconds_of_byte = [&](index_t n) { // of D = 0
        const gemm_plan plan({data_type::f64, 1000, n, 0, 1, 1000, 1, 1, 1, 1000}, options);
        return plan.predicted_seconds(options) / static_cast<double>(8000 * n);
    };
    EXPECT_NEAR(seconds_of_byte(1'000) * options.rates->cache_bandwidth, 2, 0.02) << "as in L2";
    EXPECT_LE(seconds_of_byte(100), 1.02 * seconds_of_byte(1'000));
    EXPECT_NEAR(seconds_of_byte(100'000) * options.rates->overwriting(1), 2, 0.02);
    base::machine_rates slow = *options.rates;
    slow.l3_bandwidth = 30e9;
    options.rates = &slow;
    EXPECT_NEAR(seconds_of_byte(1'000) * slow.l3_bandwidth, 1, 0.02);
}

/// A sum of products, in a loop, whose A and B lie in a memory that takes longer than any kernel.
double seconds_of_sum(const gemm_impl::gemm_shape &shape, double anew_a) {
    auto options = wide_options();
    base::machine_rates rates = *options.rates;
    rates.read_bandwidth = 2e9;
    options.rates = &rates;
    options.packs_small = false;
    options.whole = {1e9, 1e9, 1e3};
    options.whole.series = options.whole.sums = true;
    options.whole.terms = 30;
    options.whole.anew_a = anew_a;
    return gemm_plan(shape, options).predicted_seconds(options);
}

TEST(gemm_plan, columns_that_go_on_in_the_next_term_take_less) {
    const auto price = [](index_t columns, double anew) {
        return seconds_of_sum({data_type::f64, 80, 4, columns, 1, 35000, 1, columns, 1, 80}, anew);
    };
    EXPECT_GT(price(28, 1), 1.2 * price(28, 0));
    EXPECT_EQ(price(80, 1), price(80, 0)) << "more than hardware follows";
}

TEST(gemm_plan, strides_of_single_rows_do_not_matter) {
    const auto price = [](index_t row_stride) {
        return seconds_of_sum({data_type::f64, 1, 4, 40, row_stride, 1, 1, 40, 1, 1}, 1);
    };
    EXPECT_EQ(price(0), price(1));
    EXPECT_EQ(price(0), price(40));
}

TEST(gemm_plan, columns_of_a_run_are_a_run_but_parts_of_rows_are_none) {
    const index_t n = 31, k = 40;
    const auto price = [&](index_t row_stride, index_t column_stride) {
        return seconds_of_sum({data_type::f64, 1, n, k, 1, 1, row_stride, column_stride, 1, 1}, 1);
    };
    EXPECT_GT(price(n, 1), 1.2 * price(1, k));
}

TEST(gemm_plan, lines_of_adjacent_interleaved_elements_are_followed) {
    auto options = wide_options();
    options.whole = {1e9, 1e3, 1e3};
    constexpr index_t count = 20, m = 27, k = 24; // several calls: L1 does not hold all lanes
    const auto price = [&](index_t row_stride) {
        const gemm_impl::gemm_shape each = {data_type::f64, m,     1, k,     row_stride,
                                            100'000,        count, 1, count, m * count};
        return gemm_impl::interleaved_plan(each, count, options).predicted_seconds(options);
    };
    EXPECT_GT(price(count + 4), 1.2 * price(count));
}

} // namespace
} // namespace tenfold::testing
