// Where choices turn: on made-up machines, on both sides of every limit that is a cache's, what is
// chosen is predicted to take no longer than what is not. This file is linked in place of the
// library's chooser, and can plant the other choice.
#define leaves_caches leaves_caches_of_the_library
#include "gemm/plan/choose.cpp"
#undef leaves_caches

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gemm/forms/degenerate.hpp"
#include "gemm/plan/plan.hpp"
#include "support/described_machines.hpp"

namespace tenfold::gemm_impl {
namespace {

/// Whether outputs leave the caches, if the form asks; empty: what the library says.
std::optional<bool> planted;

} // namespace

bool leaves_caches(double bytes, const base::machine &machine, int threads) noexcept {
    return planted.value_or(leaves_caches_of_the_library(bytes, machine, threads));
}

} // namespace tenfold::gemm_impl

namespace tenfold::testing {
namespace {

using gemm_impl::gemm_plan;
using gemm_impl::gemm_plan_options;
using gemm_impl::gemm_shape;

constexpr double mebi = 1024.0 * 1024;

/// AVX2 and AVX-512 at half and at full rate, with caches of several sizes.
std::vector<base::described_machine> machines() {
    std::vector<base::described_machine> all;
    for (const isa set : {isa::avx2, isa::avx512})
        for (const double rate : {0.5, 1.0})
            for (const index_t l1 : {32, 48})
                for (const double l2 : {0.5, 1.0, 2.0})
                    for (const double l3 : {4.0, 32.0, 260.0}) {
                        base::described_machine one = wide_machine();
                        one.machine.isas = {set, isa::generic};
                        one.machine.l1d = {l1 << 10, l1 / 4, 64, 1};
                        one.machine.l2.size = static_cast<index_t>(l2 * mebi);
                        one.machine.l3.size = static_cast<index_t>(l3 * mebi);
                        one.rates = base::machine_rates::typical_of(set);
                        one.rates.fma_flops_f64 *= rate;
                        one.rates.fma_flops_f32 *= rate;
                        one.machine.cpu = std::string(name(set)) + " at " + std::to_string(rate) +
                                          ", L1 " + std::to_string(l1) + " KiB, L2 " +
                                          std::to_string(l2) + ", L3 " + std::to_string(l3) +
                                          " MiB";
                        all.push_back(one);
                    }
    return all;
}

/// False: this build has no kernels of that instruction set.
bool has_kernels(const base::described_machine &on) {
    const auto *kernel = gemm_impl::select(data_type::f64, on.machine.best_isa());
    return kernel != nullptr && kernel->variant.isa == on.machine.best_isa();
}

gemm_plan_options options_of(const base::described_machine &on) {
    gemm_plan_options options;
    options.machine = &on.machine;
    options.rates = &on.rates;
    options.instruction_set = on.machine.best_isa();
    return options;
}

gemm_shape dense(data_type type, index_t m, index_t n, index_t k) {
    return {type, m, n, k, 1, m, 1, k, 1, m};
}

/// A plan and its price.
struct priced {
    gemm_plan plan;
    double seconds;
};
priced price_of(const gemm_shape &shape, const base::described_machine &on,
                std::optional<bool> instead = std::nullopt) {
    gemm_impl::planted = instead;
    const auto options = options_of(on);
    const gemm_plan plan(shape, options);
    const priced result{plan, plan.predicted_seconds(options)};
    gemm_impl::planted.reset();
    return result;
}

/// Prices are sums of many terms; a thousandth is no difference.
constexpr double alike = 1.001;

TEST(Turns, outputs_are_written_past_the_caches_where_they_would_leave_them) {
    int past = 0, through = 0;
    for (const auto &on : machines()) {
        if (!has_kernels(on))
            continue;
        SCOPED_TRACE(on.machine.cpu);
        const double kept = base::kept_in_caches(on.machine, 1);
        for (const double times : {0.3, 0.9, 1.1, 4.0}) {
            constexpr index_t m = 512;
            const auto n = static_cast<index_t>(kept * times / 8) / m;
            for (const gemm_shape &shape :
                 {dense(data_type::f64, m, n, 1), dense(data_type::f64, m, n, 24)}) {
                const priced chosen = price_of(shape, on);
                const priced streamed = price_of(shape, on, true);
                const priced kept_there = price_of(shape, on, false);
                SCOPED_TRACE(chosen.plan.describe() + ", " + std::to_string(times));
                EXPECT_LE(chosen.seconds, alike * std::min(streamed.seconds, kept_there.seconds));
                if (streamed.seconds == kept_there.seconds)
                    continue; // the form cannot
                EXPECT_EQ(chosen.seconds, times > 1 ? streamed.seconds : kept_there.seconds);
                ++(times > 1 ? past : through);
            }
        }
    }
    EXPECT_EQ(past > 0, through > 0);
}

/// The limit of small products knows no machine, so that asking takes no time. It holds for all:
/// three matrices fit the smallest L2.
TEST(Turns, small_products_fit_every_l2) {
    EXPECT_TRUE(gemm_impl::is_small(false, 96, 96, 96));
    EXPECT_FALSE(gemm_impl::is_small(false, 97, 96, 96));
    EXPECT_TRUE(gemm_impl::is_small(true, 64, 64, 64));
    EXPECT_LE(3 * 96 * 96 * 8, 256 << 10);
    EXPECT_LE(3 * 64 * 64 * 16, 256 << 10);
}

/// Tiles of long small products read from L2 what L1 does not keep.
TEST(Turns, small_products_that_outgrow_l1_are_priced_by_l2) {
    for (const auto &on : machines()) {
        if (!has_kernels(on))
            continue;
        SCOPED_TRACE(on.machine.cpu);
        base::described_machine roomy = on;
        roomy.machine.l1d.size = 512 << 10;
        const auto ratio = [&](index_t k) {
            const gemm_shape shape = dense(data_type::f64, 33, 14, k);
            return price_of(shape, on).seconds / price_of(shape, roomy).seconds;
        };
        EXPECT_EQ(ratio(30), 1);
        EXPECT_GE(ratio(900), 1);
        const double full_rate = base::machine_rates::typical_of(isa::avx2).fma_flops_f64;
        if (on.machine.l1d.size == 32 << 10 && on.rates.fma_flops_f64 == full_rate) {
            EXPECT_GT(ratio(900), 1.1);
        }
    }
}

/// Columns of D that are shorter than two lines and do not adjoin fill lines in part.
TEST(Turns, short_columns_of_outputs_are_priced_by_lines) {
    const base::described_machine on = wide_machine();
    const auto seconds = [&](index_t rows, index_t column_stride, double whole_d) {
        gemm_shape shape = dense(data_type::f64, rows, 90, 4);
        shape.column_stride_d = column_stride;
        gemm_plan_options options = options_of(on);
        options.instruction_set = isa::generic;
        options.whole.d = whole_d;
        return gemm_plan(shape, options).predicted_seconds(options);
    };
    const double memory = 64 * mebi, l2 = static_cast<double>(on.machine.l2.size) / 8;
    EXPECT_GT(seconds(11, 385, memory), 1.2 * seconds(11, 11, memory));
    EXPECT_EQ(seconds(16, 400, memory), seconds(16, 16, memory)) << "two lines";
    EXPECT_EQ(seconds(11, 385, l2), seconds(11, 11, l2)) << "stays in L2";
}

/// Columns that adjoin each other are one run for hardware; those on pages of their own are none.
TEST(Turns, columns_on_pages_of_their_own_are_fetched) {
    const auto *info = gemm_impl::select(data_type::f64, isa::generic);
    const base::machine &machine = wide_machine().machine;
    const auto order_of = [&](index_t column_stride) {
        gemm_shape shape = dense(data_type::f64, 171, 1, 4000);
        shape.column_stride_a = column_stride;
        return gemm_impl::make_gemv_problem(shape, *info->kernel, machine, 1, 1e9).order;
    };
    EXPECT_EQ(order_of(171), gemm_impl::sweep::in_turn);
    EXPECT_EQ(order_of(6498), gemm_impl::sweep::fetched);
    EXPECT_EQ(order_of(-6498), gemm_impl::sweep::fetched);
}

} // namespace
} // namespace tenfold::testing
