// Tests packed products whose tiles are stored past the caches, each while the next one is
// computed, with whole and cut tiles, strips and blocks.
#include <algorithm>

#include <gtest/gtest.h>

#include "gemm/forms/macro_problem.hpp"
#include "gemm/kernels/registry.hpp"
#include "gemm/matrices.hpp"

namespace tenfold::testing {
namespace {

using gemm_impl::gemm_form;
using gemm_impl::gemm_plan;
using gemm_impl::gemm_shape;

/// D at the beginning of a line; a column more is not to be touched.
template <class T> struct matrix_on_lines {
    matrix_on_lines(const gemm_shape &s, T filling)
        : memory(static_cast<std::size_t>(s.column_stride_d * (s.n + 1)) + in_line, filling) {
        const auto past = reinterpret_cast<std::uintptr_t>(memory.data()) % 64;
        first = memory.data() + (64 - past) % 64 / sizeof(T);
        elements = s.column_stride_d * (s.n + 1);
    }
    static constexpr std::size_t in_line = 64 / sizeof(T);
    std::vector<T> memory;
    T *first;
    index_t elements;
};

template <class T> void check_delayed_plan(const gemm_impl::kernel_info &info, index_t k,
                                           int threads, double beta, random_source &random) {
    constexpr index_t line = 64 / index_t{sizeof(T)};
    gemm_shape s;
    s.type = data_type_of<T>;
    s.m = 5 * info.mr + 3;
    s.n = 7 * info.nr + 1;
    s.k = k;
    s.row_stride_a = s.row_stride_b = s.row_stride_d = 1;
    s.column_stride_a = s.m;
    s.column_stride_b = s.k;
    s.column_stride_d = base::round_up(s.m, line);
    auto options = plan_options(isa::avx512, threads);
    options.whole.d = 1 << 30; // D leaves the caches
    options.blocks = gemm_impl::blocking{info.mr, info.nr, 64, 2 * info.mr, 3 * info.nr};
    const gemm_plan plan(s, options);
    ASSERT_EQ(plan.form(), gemm_form::packed);
    const auto made = gemm_impl::make_macro_problem(
        s, *info.kernel, {this_machine(), *options.blocks, threads}, index_t{1} << 30);
    ASSERT_TRUE(made.streams && !made.direct_a && !made.direct_b);

    std::vector<T> a(static_cast<std::size_t>(s.m * k)), b(static_cast<std::size_t>(k * s.n));
    for (std::vector<T> *one : {&a, &b})
        std::generate(one->begin(), one->end(), [&] { return small_integer<T>(random); });
    matrix_on_lines<T> found(s, T(-77)), expected(s, T(-77));
    std::vector<std::byte> memory(static_cast<std::size_t>(plan.workspace_size().value) + 64);
    const auto past = reinterpret_cast<std::uintptr_t>(memory.data()) % 64;
    plan.execute({.alpha = 2.0,
                  .a = a.data(),
                  .b = b.data(),
                  .beta = beta,
                  .d = found.first,
                  .workspace = memory.data() + (64 - past) % 64});
    gemm_impl::reference_gemm(s, 2.0, a.data(), b.data(), beta, expected.first);
    EXPECT_TRUE(std::equal(found.first, found.first + found.elements, expected.first))
        << info.name << ", k " << k << ", " << threads << " threads, beta " << beta;
}

TEST(gemm_delayed, products_equal_the_reference) {
    random_source random(0);
    SCOPED_TRACE(rerun_line(0));
    for (const data_type type : {data_type::f32, data_type::f64}) {
        const gemm_impl::kernel_info *info = gemm_impl::select(type, isa::avx512);
        if (info == nullptr || !gemm_impl::runs(this_machine(), *info) ||
            info->kernel->store_delayed == nullptr)
            GTEST_SKIP() << "needs AVX-512";
        for (const index_t k : {20, 23, 24, 25, 47, 64})
            for (const int threads : {1, 2, 3})
                for (const double beta : {0.0, -0.0, 1.0})
                    if (type == data_type::f32)
                        check_delayed_plan<float>(*info, k, threads, beta, random);
                    else
                        check_delayed_plan<double>(*info, k, threads, beta, random);
    }
}

} // namespace
} // namespace tenfold::testing
