#include <gtest/gtest.h>

#include "gemm/blocking.hpp"
#include "gemm/registry.hpp"

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

} // namespace
} // namespace tenfold::testing
