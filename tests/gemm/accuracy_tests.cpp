// Tests rounding errors of every form of a product against the bounds of docs/accuracy.md, with
// numbers that are random, cancel each other, grow, fall, or lose as much as possible.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/checked.hpp"
#include "gemm/accuracy.hpp"
#include "gemm/forms/degenerate.hpp"
#include "gemm/forms/split_k.hpp"

namespace tenfold::testing {
namespace {

using gemm_impl::gemm_form;
using gemm_impl::gemm_plan;
using gemm_impl::gemm_shape;

enum class lie { rows_of_a, columns_of_a, apart }; ///< what is adjacent in A

struct form_case {
    gemm_form form;
    index_t m, n, k;
    lie a = lie::columns_of_a;
    index_t kc = 0; ///< 0: chosen by the plan
    /// The sum is so short that a missing product shows in f32.
    bool sharp = true;
};

const std::vector<form_case> forms{
    {gemm_form::packed, 50, 40, 60, lie::rows_of_a},
    {gemm_form::packed, 19, 33, 700, lie::rows_of_a, 32},
    {gemm_form::packed, 250, 70, 12},
    {gemm_form::streamed, 130, 7, 150},
    {gemm_form::streamed, 16, 130, 150},
    {gemm_form::streamed, 16, 9, 700},
    {gemm_form::split_k, 9, 5, 5000, lie::columns_of_a, 128},
    {gemm_form::split_k, 11, 7, 4100, lie::rows_of_a, 128},
    {gemm_form::split_k, 3, 2, 20000, lie::columns_of_a, 0, false},
    {gemm_form::gemv, 70, 1, 250},
    {gemm_form::gemv, 70, 1, 250, lie::rows_of_a},
    {gemm_form::gemv, 70, 1, 250, lie::apart},
    {gemm_form::gemv, 70, 1, 5, lie::rows_of_a},
    {gemm_form::gemv, 70, 1, 29, lie::rows_of_a},
    {gemm_form::gemv, 1, 70, 250, lie::rows_of_a},
    {gemm_form::gemv, 5, 1, 20000, lie::columns_of_a, 0, false},
    {gemm_form::gemv, 5, 1, 20000, lie::rows_of_a, 0, false},
    {gemm_form::dot, 1, 1, 1000, lie::rows_of_a},
    {gemm_form::dot, 1, 1, 30000, lie::rows_of_a, 0, false},
    {gemm_form::outer, 60, 50, 1},
    {gemm_form::outer, 60, 50, 1, lie::apart},
};

gemm_shape shape_of(const form_case &one, data_type type) {
    gemm_shape s{type, one.m, one.n, one.k, 1, one.m, 1, one.k, 1, one.m};
    if (one.a == lie::rows_of_a) {
        s.row_stride_a = one.k;
        s.column_stride_a = 1;
    } else if (one.a == lie::apart) {
        s.row_stride_a = 2;
        s.column_stride_a = 2 * one.m + 1;
    }
    s.conj_a = true;
    return s;
}

/// The order in which the plan adds products, or an upper bound if the plan does not state it.
summation summation_of(const gemm_plan &plan, const gemm_shape &s,
                       const gemm_impl::micro_kernel &kernel) {
    switch (plan.form()) {
    case gemm_form::packed:
        return {.terms = s.k, .block = plan.blocks().kc};
    case gemm_form::split_k: {
        // Leaves that are read in place have blocks of 64 to 256 steps.
        const index_t in_place = kernel.skinny.tall != nullptr ? 256 : 0;
        return {.terms = s.k,
                .block = std::max(in_place, plan.blocks().kc),
                .leaf = base::divide_up(s.k, plan.leaves())};
    }
    case gemm_form::gemv:
    case gemm_form::dot: {
        gemm_shape turned = s.n == 1 ? s : s.transposed();
        const index_t leaves = gemm_impl::gemv_problem{turned, &kernel, 1}.leaves();
        return {.terms = s.k,
                .leaf = base::round_up(base::divide_up(s.k, leaves), gemm_impl::row_grain)};
    }
    default:
        return {.terms = s.k};
    }
}

/// Streaming needs masked registers; without them such products are packed.
bool can_stream(const gemm_impl::micro_kernel &kernel) { return kernel.skinny.tall != nullptr; }

template <class T>
void check_form(const form_case &form, isa set, numbers kind, random_source &random) {
    auto options = plan_options(set, static_cast<int>(random.integer(1, 3)));
    if (form.kc > 0)
        options.blocks = gemm_impl::blocking{0, 0, form.kc, 48, 48};
    const gemm_shape shape = shape_of(form, data_type_of<T>);
    const gemm_plan plan(shape, options);
    const gemm_impl::micro_kernel &kernel = *gemm_impl::select(shape.type, set)->kernel;
    if (plan.form() != form.form) {
        EXPECT_EQ(form.form, gemm_form::streamed);
        EXPECT_EQ(plan.form(), gemm_form::packed);
        EXPECT_FALSE(can_stream(kernel));
    }
    const accuracy_case<T> one(shape, kind, random);
    const summation how = summation_of(plan, shape, kernel);
    const double bound = error_bound<T>(how);
    EXPECT_LE(one.largest_error(one.product.computed(plan)), bound)
        << plan.describe() << ", m n k " << form.m << ' ' << form.n << ' ' << form.k << ", "
        << name(kind) << ", alpha " << one.product.alpha << ", beta " << one.product.beta;
    if (form.sharp && kind == numbers::positive) {
        EXPECT_GT(least_share(form.k), bound) << "a missing product would not show";
    }
}

TEST(gemm_accuracy, every_form_keeps_its_bound) {
    for (const int i : cases(1)) {
        SCOPED_TRACE(rerun_line(i));
        random_source random(i);
        for (const form_case &form : forms)
            for (const isa set : this_machine().isas)
                for (const numbers kind : all_numbers)
                    for_each_type([&]<class T>(T) { check_form<T>(form, set, kind, random); });
    }
}

/// Tests calls without plans: small products and sums of many products.
template <class T> void check_calls(const context &ctx, numbers kind, random_source &random) {
    const gemm_shape s = shape_of(
        {gemm_form::packed, random.integer(2, 40), random.integer(2, 40), random.integer(2, 60)},
        data_type_of<T>);
    const accuracy_case<T> one(s, kind, random);
    const gemm_case<T> &x = one.product;
    const gemm_options options{.alpha = x.alpha, .beta = x.beta, .conj_a = true, .ctx = &ctx};
    guarded_matrix<T> d = x.d;
    gemm<T>({x.a.data(), s.m, s.k}, {x.b.data(), s.k, s.n}, {d.data(), s.m, s.n}, options);
    EXPECT_LE(one.largest_error(d), error_bound<T>(s.k))
        << name(ctx.isa()) << ", m n k " << s.m << ' ' << s.n << ' ' << s.k << ", " << name(kind);

    // The same sum as a batch-reduce of a few steps of k at a time, in a random order.
    std::vector<const T *> as, bs;
    const index_t step = s.k % 3 == 0 ? 3 : s.k % 2 == 0 ? 2 : 1;
    for (index_t p = 0; p < s.k; p += step) {
        const auto at = as.begin() + random.integer(0, static_cast<index_t>(as.size()));
        bs.insert(bs.begin() + (at - as.begin()), x.b.data() + p);
        as.insert(at, x.a.data() + p * s.m);
    }
    using batch = matrix_batch<const T>;
    d = x.d;
    gemm_batch_reduce<T>(
        batch::at_addresses({nullptr, s.m, step, 1, s.m}, std::span<const T *const>(as)),
        batch::at_addresses({nullptr, step, s.n, 1, s.k}, std::span<const T *const>(bs)),
        {d.data(), s.m, s.n}, options);
    EXPECT_LE(one.largest_error(d), error_bound<T>(s.k))
        << name(ctx.isa()) << ", sum of " << as.size() << ", m n k " << s.m << ' ' << s.n << ' '
        << s.k << ", " << name(kind);
}

TEST(gemm_accuracy, small_products_and_sums_of_products_keep_their_bound) {
    for (const int i : cases(6)) {
        SCOPED_TRACE(rerun_line(i));
        random_source random(i);
        for (const isa set : this_machine().isas) {
            settings chosen;
            chosen.isa = set;
            const context ctx(chosen);
            for (const numbers kind : all_numbers)
                for_each_type([&]<class T>(T) { check_calls<T>(ctx, kind, random); });
        }
    }
}

} // namespace
} // namespace tenfold::testing
