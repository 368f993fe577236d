// Tests that ranks which know different rates plan alike, and which plans are kept.
#include <cstdlib>
#include <memory>

#include <tenfold/version.hpp>

#include "base/calibration.hpp"
#include "base/context_of.hpp"
#include "base/described_machine.hpp"
#include "base/plan_cache.hpp"
#include "mpi/ranks.hpp"
#include "support/temporary_folder.hpp"

namespace tenfold::testing {
namespace {

/// The rates of this processor, but for messages.
base::machine_rates rates_with_messages(double bandwidth, double each) {
    const context &here = context::global();
    auto rates = base::machine_rates::typical_of(here.isa());
    rates.message_bandwidth = rates.message_bandwidth_one = bandwidth;
    rates.message = each;
    return rates;
}
base::machine_rates fast_messages() { return rates_with_messages(1e12, 1e-9); }
base::machine_rates slow_messages() { return rates_with_messages(1e7, 1e-3); }

std::unique_ptr<context> context_with(const base::machine_rates &rates,
                                      const settings &chosen = settings::from_environment()) {
    return base::described_machine{base::machine_of(context::global()), rates}.make_context(chosen);
}

constexpr index_t n = 24;

/// D = A B, each n x n on rank 0; checks D, and that all ranks have the same plan, which it
/// returns.
dist_plan plan_of_product(const dist_options &options) {
    const auto there = distribution::on_rank({n, n}, ranks().size(), 0);
    dist_tensor<double> a(ranks(), {n, n}, there), b(ranks(), {n, n}, there),
        d(ranks(), {n, n}, there);
    fill_values(a, 1);
    fill_values(b, 2);
    dist_plan plan = contract("mn=mk*kn", a, b, d, options).plan;
    const tensor<double> x = make_values<double>({n, n}, 1);
    const tensor<double> y = make_values<double>({n, n}, 2);
    tensor<double> expected({n, n});
    for (index_t j = 0; j < n; ++j)
        for (index_t k = 0; k < n; ++k)
            for (index_t i = 0; i < n; ++i)
                expected(i, j) += x(i, k) * y(k, j);
    EXPECT_TRUE(equal(d.gather_all(), expected));
    EXPECT_TRUE(same_on_all_ranks(std::to_string(plan.hash()) + plan.describe()));
    return plan;
}

bool is_first() { return ranks().rank() == 0; }

TEST(DistPlanning, FollowsRankZerosRates) {
    const auto fast = context_with(fast_messages());
    const auto slow = context_with(slow_messages());
    const int size = ranks().size();
    const auto used = [](const dist_plan &plan) { return plan.summary().grid.size(); };
    // Every order of who changes what: told before, told anew, and back.
    for (int round = 0; round < 2; ++round) {
        EXPECT_GT(used(plan_of_product({.ctx = fast.get()})), size > 1 ? 1 : 0);
        EXPECT_EQ(used(plan_of_product({.ctx = slow.get()})), 1);
        EXPECT_EQ(used(plan_of_product({.ctx = is_first() ? slow.get() : fast.get()})), 1);
        EXPECT_GT(used(plan_of_product({.ctx = is_first() ? fast.get() : slow.get()})),
                  size > 1 ? 1 : 0);
        EXPECT_EQ(used(plan_of_product({.ctx = slow.get()})), 1);
    }
}

TEST(DistPlanning, FollowsRankZerosThreads) {
    const int threads = 1 + ranks().rank() % 3;
    const dist_plan plan = plan_of_product({.threads = threads});
    const dist_plan other = plan_of_product({.threads = 1 + (ranks().rank() + 1) % 3});
    EXPECT_NE(plan.hash(), other.hash()) << "prices are part of the plan";
}

TEST(DistPlanning, ReproduciblePlansFollowTypicalRates) {
    const auto fast = context_with(fast_messages());
    const auto slow = context_with(slow_messages());
    const dist_plan plan = plan_of_product({.reproducible = true, .ctx = fast.get()});
    const dist_plan other = plan_of_product({.reproducible = true, .ctx = slow.get()});
    EXPECT_EQ(plan.hash(), other.hash());
}

/// TENFOLD_CALIBRATION names another file on rank 0 than on the others.
TEST(DistPlanning, FollowsRankZerosCalibration) {
    const temporary_folder folder;
    const context &here = context::global();
    const base::calibration_key key = {base::machine_of(here).identity(), here.isa(),
                                       here.threads(), version()};
    const std::string file = folder.file("rates");
    const char *const former = std::getenv("TENFOLD_CALIBRATION");
    const std::string before = former == nullptr ? "" : former;
    const auto calibrated = [&](const base::machine_rates &rates) {
        EXPECT_EQ(base::save_calibration(file, key, rates), "");
        setenv("TENFOLD_CALIBRATION", file.c_str(), 1);
        auto made = std::make_unique<context>();
        base::rates_of(*made); // reads the file
        setenv("TENFOLD_CALIBRATION", before.c_str(), 1);
        return made;
    };
    const auto fast = calibrated(fast_messages());
    const auto slow = calibrated(slow_messages());
    const dist_plan plan = plan_of_product({.ctx = is_first() ? fast.get() : slow.get()});
    const dist_plan other = plan_of_product({.ctx = is_first() ? slow.get() : fast.get()});
    EXPECT_EQ(other.summary().grid, processor_grid{});
    EXPECT_EQ(plan.summary().grid == processor_grid{}, ranks().size() == 1);
}

class DistKeptPlans : public ::testing::Test {
protected:
    std::size_t kept(const context &ctx) const { return base::plans_of(ctx).size(); }
    /// D = alpha A B + beta D; checks D.
    dist_report contract_once(const context &ctx, scalar alpha, scalar beta,
                              bool reproducible = false) {
        fill_values(d, 3);
        dist_report report =
            contract("mn=mk*kn", a, b, d,
                     {.alpha = alpha, .beta = beta, .reproducible = reproducible, .ctx = &ctx});
        tensor<double> expected = make_values<double>({n, n}, 3);
        const tensor<double> x = make_values<double>({n, n}, 1);
        const tensor<double> y = make_values<double>({n, n}, 2);
        for (index_t j = 0; j < n; ++j)
            for (index_t i = 0; i < n; ++i) {
                expected(i, j) *= beta.real();
                for (index_t k = 0; k < n; ++k)
                    expected(i, j) += alpha.real() * x(i, k) * y(k, j);
            }
        EXPECT_TRUE(equal(d.gather_all(), expected)) << "alpha " << alpha << ", beta " << beta;
        return report;
    }

    DistKeptPlans() {
        fill_values(a, 1);
        fill_values(b, 2);
    }
    dist_tensor<double> a{ranks(), {n, n}};
    dist_tensor<double> b{ranks(), {n, n}};
    dist_tensor<double> d{ranks(), {n, n}};
};

TEST_F(DistKeptPlans, ServeAllFactors) {
    const auto ctx = context_with(fast_messages());
    contract_once(*ctx, 2.0, 3.0);
    const std::size_t of_one = kept(*ctx);
    EXPECT_GE(of_one, 1U);
    const std::uint64_t hash = contract_once(*ctx, 2.0, 3.0).plan.hash();
    for (const scalar alpha : {1.0, -2.0, 5.0})
        for (const scalar beta : {0.0, 1.0, -1.0})
            EXPECT_EQ(contract_once(*ctx, alpha, beta).plan.hash(), hash);
    EXPECT_EQ(kept(*ctx), of_one);
    contract_once(*ctx, 0.0, 2.0); // nothing travels and nothing is multiplied
    EXPECT_EQ(kept(*ctx), of_one + 1);
}

TEST_F(DistKeptPlans, OfReproducibleSumsServeTheirKindOfFactors) {
    const auto ctx = context_with(fast_messages());
    contract_once(*ctx, 2.0, 3.0, true);
    const std::size_t of_one = kept(*ctx);
    contract_once(*ctx, -4.0, 5.0, true);
    EXPECT_EQ(kept(*ctx), of_one);
    contract_once(*ctx, 1.0, 1.0, true);
    EXPECT_EQ(kept(*ctx), of_one + 1);
}

TEST_F(DistKeptPlans, RefuseFactorsThatAPlanNeverSaw) {
    const auto ctx = context_with(fast_messages());
    contract_once(*ctx, 2.0, 3.0);
    const dist_options options{.alpha = {0.0, 1.0}, .ctx = ctx.get()};
    EXPECT_EQ(failure_of([&] { contract("mn=mk*kn", a, b, d, options); }).code,
              errc::invalid_argument);
    contract("mn+=mk*kn", a, b, d, {.ctx = ctx.get()});
    EXPECT_EQ(
        failure_of([&] { contract("mn+=mk*kn", a, b, d, {.beta = 1.0, .ctx = ctx.get()}); }).code,
        errc::invalid_argument);
}

TEST_F(DistKeptPlans, GoOneAtATime) {
    settings chosen = settings::from_environment();
    const auto roomy = context_with(fast_messages(), chosen);
    contract_once(*roomy, 1.0, 0.0);
    const std::size_t bytes_of_one = base::plans_of(*roomy).bytes();
    const std::size_t of_one = kept(*roomy);
    chosen.plan_cache_limit = bytes(static_cast<index_t>(4 * bytes_of_one));
    const auto small = context_with(fast_messages(), chosen);
    for (index_t extent = 20; extent < 40; ++extent) {
        dist_tensor<double> one(ranks(), {extent, n}), other(ranks(), {extent, n});
        fill_values(one, 1);
        contract("mn=mk*kn", one, b, other, {.ctx = small.get()});
        EXPECT_LE(base::plans_of(*small).bytes(), 4 * bytes_of_one);
        if (extent >= 24) {
            EXPECT_GE(kept(*small), 2 * of_one);
        }
    }
    chosen.plan_cache_limit = bytes(0);
    const auto none = context_with(fast_messages(), chosen);
    contract_once(*none, 1.0, 0.0);
    EXPECT_EQ(kept(*none), 0U);
}

} // namespace
} // namespace tenfold::testing
