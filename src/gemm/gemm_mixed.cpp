#include <tenfold/gemm_mixed.hpp>

#include <cstdint>
#include <optional>
#include <string>

#include "base/context_of.hpp"
#include "base/option_checks.hpp"
#include "base/scalars.hpp"
#include "base/work.hpp"
#include "base/workspace.hpp"
#include "gemm/epilogue.hpp"
#include "gemm/forms/mixed_reduce.hpp"
#include "gemm/plan/batch_arguments.hpp"
#include "gemm/plan/choose.hpp"
#include "gemm/plan/mixed_plan.hpp"

namespace tenfold {
namespace {

using gemm_impl::mixed_product;

constexpr gemm_impl::argument_checks check_product{"gemm"};
constexpr gemm_impl::argument_checks check_sum{"gemm_batch_reduce"};

/// Alpha and beta as numbers of D's type.
template <class Number> struct factors { Number alpha, beta; };

factors<float> factors_of_f32(const gemm_impl::argument_checks &check,
                              const gemm_options &options) {
    check.factors(data_type::f32, options);
    return {.alpha = static_cast<float>(options.alpha.real()),
            .beta = static_cast<float>(options.beta.real())};
}

std::uint32_t integer_factor(const gemm_impl::argument_checks &check, const char *name,
                             scalar value) {
    if (!base::is_int32(value))
        check.fail(errc::type_mismatch,
                   std::string(name) +
                       " is no integer of 32 bits, but the matrices are of integers");
    return base::integer_factor(value);
}

factors<std::uint32_t> factors_of_integers(const gemm_impl::argument_checks &check,
                                           const gemm_options &options) {
    return {.alpha = integer_factor(check, "alpha", options.alpha),
            .beta = integer_factor(check, "beta", options.beta)};
}

template <class Out> std::optional<gemm_impl::fused_epilogue>
mixed_epilogue_of(const matrix_view<Out> &c, const gemm_options &options) {
    if (options.epilogue == nullptr)
        return std::nullopt;
    return gemm_impl::fused_epilogue(*options.epilogue, data_type_of<Out>, c.rows, c.columns,
                                     base::context_of(options).isa());
}

/// What the products have in common.
template <class InA, class InB, class Out, class Number>
void multiply(mixed_product product, const matrix_view<const InA> &a,
              const matrix_view<const InB> &b, const matrix_view<Out> &c, factors<Number> by,
              const gemm_options &options) {
    check_product.choices(options);
    check_product.memory(a, b, c, by.alpha == Number{});
    const auto finish = mixed_epilogue_of(c, options);
    if (finish)
        finish->require_apart(gemm_impl::place(c));
    const gemm_impl::mixed_plan plan(product, gemm_impl::shape_of(data_type::f32, a, b, c, options),
                                     gemm_impl::plan_options_of(options));
    const auto workspace =
        gemm_impl::workspace_of(check_product, plan.workspace_size(), base::context_of(options));
    base::watched_call watched(options.control);
    if (!watched.stops())
        plan.execute<Number>({.alpha = by.alpha,
                              .a = a.data,
                              .b = b.data,
                              .beta = by.beta,
                              .d = reinterpret_cast<Number *>(c.data),
                              .workspace = workspace.memory().data(),
                              .finish = finish ? &*finish : nullptr});
    watched.finish();
}

/// The batches that the terms of a sum are found in.
template <class InA, class InB> struct summed_batches {
    const matrix_batch<const InA> &a;
    const matrix_batch<const InB> &b;

    static void find(const void *batches, index_t first, index_t count, const void **a_of,
                     const void **b_of) {
        const auto &from = *static_cast<const summed_batches *>(batches);
        for (index_t i = 0; i < count; ++i) {
            a_of[i] = from.a.address(first + i);
            b_of[i] = from.b.address(first + i);
        }
    }
};

/// What the sums have in common; their extents have been checked.
template <class InA, class InB, class Out, class Number>
void add_products(mixed_product product, const summed_batches<InA, InB> &from,
                  const matrix_view<Out> &c, factors<Number> by, const gemm_options &options) {
    const auto &[a, b] = from;
    check_sum.choices(options);
    const auto finish = mixed_epilogue_of(c, options);
    if (c.rows == 0 || c.columns == 0)
        return;

    const gemm_impl::batch_placement place_c = gemm_impl::place(c);
    check_sum.data(c.data, "C");
    check_sum.not_itself(place_c);
    if (finish)
        finish->require_apart(place_c);
    if (by.alpha != Number{} && a.layout().columns > 0 && a.size() > 0)
        gemm_impl::require_summed_inputs(check_sum, a, b, place_c);

    const gemm_impl::mixed_reduce_plan plan(
        product,
        {.each = gemm_impl::shape_of(data_type::f32, a.layout(), b.layout(), c, options),
         .count = a.size(),
         .stride_a = gemm_impl::stride_of(a),
         .stride_b = gemm_impl::stride_of(b)},
        gemm_impl::plan_options_of(options));
    const auto workspace =
        gemm_impl::workspace_of(check_sum, plan.workspace_size(), base::context_of(options));
    base::watched_call watched(options.control);
    if (!watched.stops())
        plan.execute<Number>({.alpha = by.alpha,
                              .a = nullptr,
                              .b = nullptr,
                              .beta = by.beta,
                              .d = reinterpret_cast<Number *>(c.data),
                              .workspace = workspace.memory().data(),
                              .finish = finish ? &*finish : nullptr},
                             {a.size(), 0, &from, summed_batches<InA, InB>::find});
    watched.finish();
}

template <class In> void multiply_to_f32(mixed_product product, const matrix_view<const In> &a,
                                         const matrix_view<const In> &b,
                                         const matrix_view<float> &c, const gemm_options &options) {
    check_product.product(a, b, c);
    multiply(product, a, b, c, factors_of_f32(check_product, options), options);
}

template <class In> void multiply_integers(mixed_product product, const matrix_view<const In> &a,
                                           const matrix_view<const std::int8_t> &b,
                                           const matrix_view<std::int32_t> &c,
                                           const gemm_options &options) {
    check_product.product(a, b, c);
    multiply(product, a, b, c, factors_of_integers(check_product, options), options);
}

template <class In> void add_to_f32(mixed_product product, const matrix_batch<const In> &a,
                                    const matrix_batch<const In> &b, const matrix_view<float> &c,
                                    const gemm_options &options) {
    gemm_impl::require_sum(check_sum, a, b, c);
    add_products(product, summed_batches<In, In>{a, b}, c, factors_of_f32(check_sum, options),
                 options);
}

template <class In> void add_integers(mixed_product product, const matrix_batch<const In> &a,
                                      const matrix_batch<const std::int8_t> &b,
                                      const matrix_view<std::int32_t> &c,
                                      const gemm_options &options) {
    gemm_impl::require_sum(check_sum, a, b, c);
    add_products(product, summed_batches<In, std::int8_t>{a, b}, c,
                 factors_of_integers(check_sum, options), options);
}

mixed_product product_of(bf16_sums sums, const gemm_impl::argument_checks &check,
                         const gemm_options &options) {
    base::check_enumerator(sums, "bf16_sums", check.function);
    auto chosen = gemm_impl::gemm_plan_options::from(base::context_of(options));
    chosen.sums = sums;
    return gemm_impl::choose_bf16(chosen);
}

} // namespace

void gemm(matrix_view<const bf16> a, matrix_view<const bf16> b, matrix_view<float> c,
          const gemm_options &options, bf16_sums sums) {
    multiply_to_f32(product_of(sums, check_product, options), a, b, c, options);
}

void gemm(matrix_view<const f16> a, matrix_view<const f16> b, matrix_view<float> c,
          const gemm_options &options) {
    multiply_to_f32(mixed_product::f16_widened, a, b, c, options);
}

void gemm(matrix_view<const std::int8_t> a, matrix_view<const std::int8_t> b,
          matrix_view<std::int32_t> c, const gemm_options &options) {
    multiply_integers(mixed_product::i8, a, b, c, options);
}

void gemm(matrix_view<const std::uint8_t> a, matrix_view<const std::int8_t> b,
          matrix_view<std::int32_t> c, const gemm_options &options) {
    multiply_integers(mixed_product::u8_i8, a, b, c, options);
}

void gemm_batch_reduce(const matrix_batch<const bf16> &a, const matrix_batch<const bf16> &b,
                       matrix_view<float> c, const gemm_options &options, bf16_sums sums) {
    add_to_f32(product_of(sums, check_sum, options), a, b, c, options);
}

void gemm_batch_reduce(const matrix_batch<const f16> &a, const matrix_batch<const f16> &b,
                       matrix_view<float> c, const gemm_options &options) {
    add_to_f32(mixed_product::f16_widened, a, b, c, options);
}

void gemm_batch_reduce(const matrix_batch<const std::int8_t> &a,
                       const matrix_batch<const std::int8_t> &b, matrix_view<std::int32_t> c,
                       const gemm_options &options) {
    add_integers(mixed_product::i8, a, b, c, options);
}

void gemm_batch_reduce(const matrix_batch<const std::uint8_t> &a,
                       const matrix_batch<const std::int8_t> &b, matrix_view<std::int32_t> c,
                       const gemm_options &options) {
    add_integers(mixed_product::u8_i8, a, b, c, options);
}

} // namespace tenfold
