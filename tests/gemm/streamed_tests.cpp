// Tests tall products whose k is cut in pieces: sums wait in the workspace, where each thread has a
// part of its own.
#include <gtest/gtest.h>

#include "gemm/matrices.hpp"

namespace tenfold::testing {
namespace {

using gemm_impl::gemm_form;
using gemm_impl::gemm_plan;
using gemm_impl::gemm_shape;

/// A machine of such small caches that a few hundred rows are cut.
base::machine small_caches() {
    base::machine machine = this_machine();
    machine.l1d.size = 8 << 10;
    machine.l2.size = 64 << 10;
    machine.l3.size = 256 << 10;
    return machine;
}

template <class T> bool check_tall(const base::machine &machine, random_source &random) {
    gemm_shape s;
    s.m = random.integer(300, 3000);
    s.n = random.integer(2, 30);
    s.k = random.integer(30, 200);
    constexpr index_t line = 64 / static_cast<index_t>(sizeof(T));
    s.row_stride_a = s.row_stride_d = 1;
    s.column_stride_a = s.m + random.integer(0, 3);
    s.column_stride_d = random.chance(0.5) ? base::round_up(s.m, line) : s.m;
    s.row_stride_b = random.chance(0.5) ? 1 : s.n;
    s.column_stride_b = s.row_stride_b == 1 ? s.k : 1;
    const gemm_case<T> c(s, random_scalar<T>(random), random_scalar<T>(random), random);
    const isa set = random.pick(machine.isas);
    auto options = plan_options(set, static_cast<int>(random.integer(1, 4)));
    options.machine = &machine;
    const gemm_plan plan(c.shape, options);
    c.check(plan);
    return plan.form() == gemm_form::streamed && plan.workspace_size().value > 0;
}

TEST(gemm_streamed, sums_over_pieces_of_k) {
    const base::machine machine = small_caches();
    int cut = 0;
    int all = 0;
    for (const int i : cases(200)) {
        SCOPED_TRACE(rerun_line(i));
        random_source random(i);
        cut += random.chance(0.5) ? check_tall<float>(machine, random)
                                  : check_tall<double>(machine, random);
        ++all;
        if (::testing::Test::HasFailure())
            return;
    }
    if (all > 100) { // 120 of 200 in the mean
        EXPECT_GT(cut, all / 3);
    }
}

} // namespace
} // namespace tenfold::testing
