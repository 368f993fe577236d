#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tenfold/gemm.hpp>

#include "gemm/kernels/registry.hpp"
#include "gemm/plan/blocking.hpp"
#include "gemm/plan/plan.hpp"
#include "support/message_of.hpp"

namespace tenfold::testing {
namespace {

TEST(gemm_blocking, fits_the_caches_of_any_machine) {
    base::machine machine;
    for (const index_t l1 : {16, 32, 48, 128})
        for (const index_t l2 : {256, 512, 1024, 2048})
            for (const index_t l3 : {0, 4096, 32768})
                for (const gemm_impl::kernel_info &one : gemm_impl::kernels()) {
                    machine.l1d = {l1 << 10, 8, 64, 1};
                    machine.l2 = {l2 << 10, 8, 64, 1};
                    machine.l3 = {l3 << 10, 16, 64, 1};
                    const index_t size = size_of(one.type);
                    const auto blocks = gemm_impl::choose_blocking(machine, *one.kernel, size);
                    SCOPED_TRACE(blocks.describe());
                    EXPECT_EQ(blocks.mc % one.mr, 0);
                    EXPECT_EQ(blocks.nc % one.nr, 0);
                    EXPECT_GE(blocks.kc, 64);
                    EXPECT_GE(blocks.mc, one.mr);
                    EXPECT_GE(blocks.nc, one.nr);
                    if (blocks.mc > one.mr) {
                        EXPECT_LT(blocks.mc * blocks.kc * size, machine.l2.size);
                    }
                    EXPECT_LT(blocks.nr * blocks.kc * size, machine.l1d.size);
                }
}

TEST(gemm_blocking, rows_of_short_k_stay_in_l1_where_d_passes_the_caches) {
    for (const index_t l1 : {32, 48})
        for (const gemm_impl::kernel_info &one : gemm_impl::kernels()) {
            const index_t size = size_of(one.type);
            base::machine machine;
            machine.l1d = {l1 << 10, 8, 64, 1};
            machine.l2 = {index_t{1024} << 10, 8, 64, 1};
            machine.l3 = {index_t{16384} << 10, 16, 64, 1};
            const auto blocks = gemm_impl::choose_blocking(machine, *one.kernel, size);
            for (const index_t k : {8, 24, 48, 96}) {
                const gemm_impl::gemm_shape shape{.type = one.type,
                                                  .m = 4096,
                                                  .n = 4096,
                                                  .k = k,
                                                  .row_stride_a = 1,
                                                  .column_stride_a = 4096,
                                                  .row_stride_b = 1,
                                                  .column_stride_b = k,
                                                  .row_stride_d = 1,
                                                  .column_stride_d = 4096};
                const auto p = gemm_impl::make_macro_problem(shape, *one.kernel, {machine, blocks});
                const auto fits = [&](index_t rows, index_t bytes) {
                    return (rows + one.nr) * k * size <= bytes;
                };
                SCOPED_TRACE(std::string(one.name) + ", " + p.blocks.describe());
                EXPECT_EQ(p.streams, one.kernel->vector_length * size >= 64);
                const index_t enough = one.kernel->store_delayed != nullptr ? 4 : 3;
                if (p.streams && fits(enough * one.mr, machine.l1d.size / 4 * 3))
                    EXPECT_TRUE(fits(p.blocks.mc, machine.l1d.size));
                else
                    EXPECT_GE(p.blocks.mc, blocks.mc) << "what suits L2";
            }
        }
}

TEST(gemm_blocking, users_may_set_it) {
    for (const gemm_impl::kernel_info &one : gemm_impl::kernels()) {
        const index_t size = size_of(one.type);
        base::machine machine;
        machine.l1d = {index_t{32} << 10, 8, 64, 1};
        machine.l2 = {index_t{1024} << 10, 8, 64, 1};
        SCOPED_TRACE(one.name);
        const auto of_caches = gemm_impl::choose_blocking(machine, *one.kernel, size);
        machine.blocking.nc = 10 * one.nr + 1;
        auto blocks = gemm_impl::choose_blocking(machine, *one.kernel, size);
        EXPECT_EQ(blocks.nc, 10 * one.nr);
        EXPECT_EQ(blocks.kc, of_caches.kc);
        EXPECT_EQ(blocks.mc, of_caches.mc);
        machine.blocking.kc = 200;
        machine.blocking.mc = 3 * one.mr + 1;
        blocks = gemm_impl::choose_blocking(machine, *one.kernel, size);
        EXPECT_EQ(blocks.kc, 1600 / size);
        EXPECT_EQ(blocks.mc, 3 * one.mr);
        machine.blocking = {1, 1, 1};
        blocks = gemm_impl::choose_blocking(machine, *one.kernel, size);
        EXPECT_GE(blocks.kc, 1);
        EXPECT_EQ(blocks.mc, one.mr);
        EXPECT_EQ(blocks.nc, one.nr);
    }
}

TEST(gemm_blocking, of_the_context_is_what_products_use) {
    const index_t n = 131;
    std::vector<double> a(n * n), c(n * n), expected(n * n);
    for (std::size_t i = 0; i < a.size(); ++i)
        a[i] = static_cast<double>(i % 7) - 3;
    const matrix_view<const double> x{a.data(), n, n};
    gemm(x, x, matrix_view<double>{expected.data(), n, n});
    for (const block_sizes sizes :
         {block_sizes{17, 1, 1}, block_sizes{17, 30, 40}, block_sizes{1000, 24, 40}}) {
        settings wanted;
        wanted.blocking = sizes;
        const context ctx(wanted);
        auto options = gemm_impl::gemm_plan_options::from(ctx);
        const gemm_impl::gemm_plan plan({data_type::f64, n, n, n, 1, n, 1, n, 1, n, false, false},
                                        options);
        const std::string steps = "KC " + std::to_string(std::min(sizes.kc, n)) + ",";
        EXPECT_NE(plan.describe().find(steps), std::string::npos) << plan.describe();
        gemm(x, x, matrix_view<double>{c.data(), n, n}, {.ctx = &ctx});
        EXPECT_EQ(c, expected); // integers: exact in any order
        gemm(x, x, matrix_view<double>{c.data(), n, n}, {.threads = 3, .ctx = &ctx});
        EXPECT_EQ(c, expected);
    }
    for (const block_sizes wrong : {block_sizes{-1, 0, 0}, block_sizes{0, 1048577, 0}}) {
        settings wanted;
        wanted.blocking = wrong;
        EXPECT_EQ(message_of([&] { context{wanted}; }, errc::invalid_argument),
                  (wrong.kc < 0 ? "blocking.kc is -1" : "blocking.mc is 1048577") +
                      std::string("; it is 1 to 1048576, or 0 for what suits the caches"));
    }
}

} // namespace
} // namespace tenfold::testing
