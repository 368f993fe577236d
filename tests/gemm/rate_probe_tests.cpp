// Tests that the probe measures what it says, whatever the machine's speed.
#include <cmath>

#include <gtest/gtest.h>

#include "base/machine.hpp"
#include "base/rates.hpp"
#include "gemm/kernels/mixed_registry.hpp"
#include "gemm/rate_probe.hpp"

namespace tenfold {
namespace {

TEST(rate_probe, measures_the_probed_rates_and_no_others) {
    base::machine machine = base::machine::detect();
    machine.l3.size = index_t{64} << 20; // some have no L3, whose rate then stays typical
    for (const isa one : machine.isas) {
        constexpr double unknown = -1;
        base::machine_rates rates = base::machine_rates::typical_of(one);
        for (const base::rate &each : base::all_rates())
            rates.*each.value = unknown;
        gemm_impl::probe_rates(machine, one, rates);
        // Where other programs take the core, a rate may be lower than any file may say.
        for (const base::rate &each : base::all_rates()) {
            const double value = rates.*each.value;
            EXPECT_EQ(value > 0 && std::isfinite(value), each.probed)
                << name(one) << ' ' << each.name << ' ' << value;
            EXPECT_EQ(value == unknown, !each.probed) << name(one) << ' ' << each.name;
        }
        EXPECT_LE(rates.kernel_efficiency, 1) << name(one);
        EXPECT_TRUE(rates.fmas_per_cycle == 1 || rates.fmas_per_cycle == 2)
            << name(one) << ' ' << rates.fmas_per_cycle;
    }
}

/// Prices of all cycles turn with it. With a chain that was a short loop, one probe in six found 2
/// on a core that another virtual machine shared and that starts 1.
TEST(rate_probe, finds_the_same_multiply_adds_of_a_cycle_each_time) {
    const base::machine machine = base::machine::detect();
    for (const isa one : machine.isas) {
        base::machine_rates rates = base::machine_rates::typical_of(one);
        gemm_impl::probe_rates(machine, one, rates);
        for (int repeat = 0; repeat < 20; ++repeat)
            EXPECT_EQ(gemm_impl::measure_fmas_per_cycle(one, rates.fma_flops_f64),
                      rates.fmas_per_cycle)
                << name(one);
    }
}

/// They run at twice the speed of multiply-adds on some processors, and at half on others.
TEST(rate_probe, measures_dot_products_where_there_is_an_instruction) {
    const base::machine machine = base::machine::detect();
    for (const isa one : machine.isas) {
        if (!gemm_impl::has_instruction(gemm_impl::mixed_product::bf16_dot, one, machine))
            continue;
        base::machine_rates rates = base::machine_rates::typical_of(one);
        rates.dot_flops_bf16 = 100 * rates.fma_flops_f32;
        gemm_impl::probe_rates(machine, one, rates);
        EXPECT_LT(rates.dot_flops_bf16, 20 * rates.fma_flops_f32) << name(one);
        EXPECT_FALSE(rates.dot_flops_bf16 > rates.fma_flops_f32 &&
                     rates.dot_flops_bf16 < 1.1 * rates.fma_flops_f32)
            << name(one) << ": hardly faster is no faster";
    }
}

TEST(rate_probe, copes_with_caches_that_are_not_there) {
    base::machine machine = base::machine::detect();
    machine.l2 = {};
    machine.l3 = {};
    base::machine_rates rates = base::machine_rates::typical_of(machine.best_isa());
    const double typical = rates.l3_bandwidth;
    gemm_impl::probe_rates(machine, machine.best_isa(), rates);
    EXPECT_EQ(rates.l3_bandwidth, typical);
    EXPECT_GT(rates.cache_bandwidth, 0);
}

} // namespace
} // namespace tenfold
