// Tests that elements of products do not depend on the shape in which they are computed;
// reproducible sums across ranks rely on that.
#include <cstring>

#include <gtest/gtest.h>

#include "gemm/plan/plan.hpp"
#include "support/every_isa.hpp"
#include "support/random.hpp"

namespace tenfold::testing {
namespace {

using gemm_impl::gemm_plan;
using gemm_impl::gemm_plan_options;
using gemm_impl::gemm_shape;

template <class T> std::vector<T> random_numbers(random_source &random, index_t n) {
    std::vector<T> numbers(static_cast<std::size_t>(n));
    for (T &x : numbers)
        if constexpr (is_complex(data_type_of<T>))
            x = T(static_cast<typename T::value_type>(random.real() - 0.5),
                  static_cast<typename T::value_type>(random.real() - 0.5));
        else
            x = static_cast<T>(random.real() - 0.5);
    return numbers;
}

template <class T> struct matrices {
    index_t m, n, k;
    std::vector<T> a, b;   ///< column-major
    std::vector<T> at, bt; ///< row-major
};

/// Returns rows [i, i + m) and columns [j, j + n) of the product.
template <class T> std::vector<T> part(const matrices<T> &x, index_t i, index_t j, index_t m,
                                       index_t n, bool a_by_rows, bool b_by_rows, int threads,
                                       const context &ctx) {
    auto options = gemm_plan_options::from(ctx);
    options.same_for_all_shapes = true;
    options.threads = threads;
    gemm_shape shape{data_type_of<T>, m, n, x.k, 1, x.m, 1, x.k, 1, m};
    if (a_by_rows)
        std::tie(shape.row_stride_a, shape.column_stride_a) = std::pair(x.k, index_t{1});
    if (b_by_rows)
        std::tie(shape.row_stride_b, shape.column_stride_b) = std::pair(x.n, index_t{1});
    const gemm_plan plan(shape, options);
    std::vector<T> d(static_cast<std::size_t>(m * n));
    const auto bytes_needed = static_cast<std::size_t>(plan.workspace_size().value);
    std::vector<std::byte> memory(bytes_needed + 64);
    auto *aligned = reinterpret_cast<std::byte *>(
        (reinterpret_cast<std::uintptr_t>(memory.data()) + 63) / 64 * 64);
    const T *a = a_by_rows ? x.at.data() + i * x.k : x.a.data() + i;
    const T *b = b_by_rows ? x.bt.data() + j : x.b.data() + j * x.k;
    plan.execute({1.0, a, b, 0.0, d.data(), aligned});
    return d;
}

template <class T> void check(random_source &random, const context &ctx) {
    const auto extent = [&] {
        return random.chance(0.3) ? random.integer(1, 4) : random.integer(1, 90);
    };
    matrices<T> x{
        extent(), extent(), random.chance(0.3) ? random.integer(1, 9) : random.integer(1, 1500),
        {},       {},       {},
        {}};
    x.a = random_numbers<T>(random, x.m * x.k);
    x.b = random_numbers<T>(random, x.k * x.n);
    x.at.resize(x.a.size());
    x.bt.resize(x.b.size());
    const auto at = [](index_t i) { return static_cast<std::size_t>(i); };
    for (index_t p = 0; p < x.k; ++p) {
        for (index_t i = 0; i < x.m; ++i)
            x.at[at(i * x.k + p)] = x.a[at(i + p * x.m)];
        for (index_t j = 0; j < x.n; ++j)
            x.bt[at(p * x.n + j)] = x.b[at(p + j * x.k)];
    }
    const std::vector<T> whole = part(x, 0, 0, x.m, x.n, false, false, 1, ctx);
    for (int repeat = 0; repeat < 6; ++repeat) {
        const index_t i = random.integer(0, x.m - 1);
        const index_t j = random.integer(0, x.n - 1);
        const index_t m = random.chance(0.3) ? 1 : random.integer(1, x.m - i);
        const index_t n = random.chance(0.3) ? 1 : random.integer(1, x.n - j);
        const std::vector<T> some = part(x, i, j, m, n, random.chance(0.5), random.chance(0.5),
                                         static_cast<int>(random.integer(1, 3)), ctx);
        for (index_t column = 0; column < n; ++column)
            ASSERT_EQ(std::memcmp(&some[at(column * m)], &whole[at(i + (j + column) * x.m)],
                                  static_cast<std::size_t>(m) * sizeof(T)),
                      0)
                << name(data_type_of<T>) << ' ' << name(ctx.isa()) << ": " << m << " x " << n
                << " at " << i << ", " << j << " of " << x.m << " x " << x.n << ", k " << x.k;
    }
}

TEST(SameForAllShapes, PartsHaveTheBitsOfTheWhole) {
    for (const auto &ctx : contexts_of_every_isa({}))
        for (const int test_case : cases(60)) {
            SCOPED_TRACE(rerun_line(test_case));
            random_source random(test_case);
            check<float>(random, *ctx);
            check<double>(random, *ctx);
            check<c32>(random, *ctx);
            check<c64>(random, *ctx);
        }
}

} // namespace
} // namespace tenfold::testing
