// Compares many products of one shape with the reference, bit for bit: those that follow one
// another at equal distances, and those that are interleaved.
#include <cstring>
#include <vector>

#include "gemm/forms/interleaved.hpp"
#include "gemm/matrices.hpp"

namespace tenfold::testing {
namespace {

using gemm_impl::gemm_plan;
using gemm_impl::gemm_shape;
using gemm_impl::interleaved_plan;
using gemm_impl::product_series;

/// The elements (i, j) of `count` matrices, `next` apart, none where others are written.
struct placed {
    index_t rows, columns, row_stride, column_stride, next;

    index_t end(index_t count) const {
        return 1 + (rows - 1) * row_stride + (columns - 1) * column_stride + (count - 1) * next;
    }
};

template <class T> struct memory_of {
    static constexpr index_t margin = 70;
    std::vector<T> data;

    memory_of(const placed &x, index_t count)
        : data(static_cast<std::size_t>(std::max<index_t>(x.end(count), 1) + 2 * margin),
               not_a_number<T>()) {}
    T *first() { return data.data() + margin; }
    const T *first() const { return data.data() + margin; }

    template <class Value> void fill(const placed &x, index_t count, Value value) {
        for (index_t l = 0; l < count; ++l)
            for (index_t j = 0; j < x.columns; ++j)
                for (index_t i = 0; i < x.rows; ++i)
                    first()[i * x.row_stride + j * x.column_stride + l * x.next] = value();
    }
    void drop_negative_zeros() {
        for (T &x : data)
            x += T{};
    }
};

template <class T> struct series_case {
    gemm_shape shape;
    product_series steps;
    scalar alpha, beta;
    memory_of<T> a, b, d;

    series_case(const gemm_shape &s, const product_series &all, random_source &random)
        : shape(s), steps(all), alpha(random_scalar<T>(random)), beta(random_scalar<T>(random)),
          a(place_a(), all.count), b(place_b(), all.count), d(place_d(), all.count) {
        shape.type = data_type_of<T>;
        shape.conj_a = random.chance(0.5);
        shape.conj_b = random.chance(0.5);
        const auto number = [&] { return small_integer<T>(random); };
        a.fill(place_a(), steps.count, number);
        b.fill(place_b(), steps.count, number);
        if (beta != scalar{})
            d.fill(place_d(), steps.count, number);
    }

    placed place_a() const {
        return {shape.m, shape.k, shape.row_stride_a, shape.column_stride_a, steps.a};
    }
    placed place_b() const {
        return {shape.k, shape.n, shape.row_stride_b, shape.column_stride_b, steps.b};
    }
    placed place_d() const {
        return {shape.m, shape.n, shape.row_stride_d, shape.column_stride_d, steps.d};
    }

    /// Compares what execute(plan, operands) leaves in D; `sums`: all products in the first D.
    template <class Plan, class Execute>
    void check(const Plan &plan, bool sums, Execute execute) const {
        memory_of<T> should = d, is = d;
        for (index_t l = 0; l < steps.count; ++l)
            gemm_impl::reference_gemm(shape, alpha, a.first() + l * steps.a,
                                      b.first() + l * steps.b, sums && l > 0 ? 1.0 : beta,
                                      should.first() + l * steps.d);
        const auto size = static_cast<std::size_t>(plan.workspace_size().value);
        std::vector<std::byte> memory(size + 64);
        const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
        execute(gemm_impl::product_operands<>{.alpha = alpha,
                                              .a = a.first(),
                                              .b = b.first(),
                                              .beta = beta,
                                              .d = is.first(),
                                              .workspace = memory.data() + (64 - address % 64)});
        should.drop_negative_zeros();
        is.drop_negative_zeros();
        EXPECT_EQ(std::memcmp(is.data.data(), should.data.data(), is.data.size() * sizeof(T)), 0)
            << plan.describe() << ", m n k " << shape.m << ' ' << shape.n << ' ' << shape.k
            << " times " << steps.count << (sums ? ", summed" : "") << ", alpha " << alpha
            << ", beta " << beta << ", conj " << shape.conj_a << shape.conj_b;
    }
};

index_t extent(random_source &random) {
    return random.chance(0.7) ? random.integer(1, 9) : random.integer(10, 40);
}

gemm_impl::gemm_plan_options options_of(random_source &random) {
    auto options =
        plan_options(random.pick(this_machine().isas), static_cast<int>(random.integer(1, 3)));
    options.packs_small = false;
    const auto elements = [&] { return random.chance(0.5) ? 1e9 : 0; }; // those of 1e9 are fetched
    options.whole = {elements(), elements(), elements(), false, true};
    return options;
}

template <class T> void check_series(random_source &random) {
    gemm_shape s{data_type_of<T>, extent(random), extent(random), extent(random)};
    // Each matrix by columns or by rows, dense or not.
    const auto lay = [&](index_t rows, index_t columns, index_t &row_stride, index_t &column_stride,
                         bool may_be_shared) {
        const index_t pad = random.chance(0.7) ? 0 : random.integer(1, 3);
        const bool by_rows = random.chance(0.3);
        row_stride = by_rows ? columns + pad : 1;
        column_stride = by_rows ? 1 : rows + pad;
        const index_t whole = by_rows ? rows * row_stride : columns * column_stride;
        return may_be_shared && random.chance(0.2)
                   ? index_t{0}
                   : whole + (random.chance(0.7) ? 0 : random.integer(1, 9));
    };
    product_series steps{random.chance(0.2) ? 1 : random.integer(0, 40)};
    steps.a = lay(s.m, s.k, s.row_stride_a, s.column_stride_a, true);
    steps.b = lay(s.k, s.n, s.row_stride_b, s.column_stride_b, true);
    steps.d = lay(s.m, s.n, s.row_stride_d, s.column_stride_d, false);
    const bool sums = random.chance(0.3);
    if (sums) {
        steps.d = 0;
        steps.count += steps.count == 0;
    }
    const series_case<T> c(s, steps, random);
    const gemm_plan plan(c.shape, options_of(random));
    const bool followed = random.chance(0.5);
    const index_t further = random.chance(0.5) ? 64 : 0; // bytes: what follows is only fetched
    c.check(plan, sums, [&](const auto &x) {
        const auto at = [&](const void *matrix) {
            return static_cast<const std::byte *>(matrix) + further;
        };
        const auto next =
            followed ? gemm_impl::following{at(x.a), at(x.b), at(x.d)} : gemm_impl::following{};
        sums ? plan.execute_sum(x, steps, next) : plan.execute_all(x, steps, next);
    });
}

template <class T> void check_interleaved(random_source &random) {
    const index_t count = random.integer(1, random.chance(0.5) ? 20 : 150);
    gemm_shape s{data_type_of<T>, extent(random), extent(random), random.integer(1, 12)};
    const auto lay = [&](index_t rows, index_t columns, index_t &row_stride,
                         index_t &column_stride) {
        const index_t each = count + (random.chance(0.7) ? 0 : random.integer(1, 9));
        const bool by_rows = random.chance(0.5);
        row_stride = by_rows ? columns * each : each;
        column_stride = by_rows ? each : rows * each;
    };
    lay(s.m, s.k, s.row_stride_a, s.column_stride_a);
    lay(s.k, s.n, s.row_stride_b, s.column_stride_b);
    lay(s.m, s.n, s.row_stride_d, s.column_stride_d);
    const series_case<T> c(s, {count, 1, 1, 1}, random);
    const interleaved_plan plan(c.shape, count, options_of(random));
    c.check(plan, false, [&](const auto &x) { plan.execute(x); });
}

void each_type(random_source &random, int i, auto check) {
    switch (i % 4) {
    case 0:
        return check.template operator()<float>(random);
    case 1:
        return check.template operator()<double>(random);
    case 2:
        return check.template operator()<c32>(random);
    default:
        return check.template operator()<c64>(random);
    }
}

TEST(gemm_series, products_that_follow_one_another) {
    for (const int i : cases(1200)) {
        SCOPED_TRACE(rerun_line(i));
        random_source random(i);
        each_type(random, i, []<class T>(random_source &r) { check_series<T>(r); });
        if (HasFailure())
            return;
    }
}

TEST(gemm_series, interleaved_products) {
    for (const int i : cases(1200)) {
        SCOPED_TRACE(rerun_line(i));
        random_source random(i);
        each_type(random, i, []<class T>(random_source &r) { check_interleaved<T>(r); });
        if (HasFailure())
            return;
    }
}

} // namespace
} // namespace tenfold::testing
