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
#include "gemm/plan/arguments.hpp"
#include "gemm/plan/choose.hpp"
#include "gemm/plan/mixed_plan.hpp"

namespace tenfold {
namespace {

using gemm_impl::mixed_product;

constexpr gemm_impl::argument_checks check{"gemm"};

/// Alpha and beta as numbers of D's type.
template <class Number> struct factors { Number alpha, beta; };

/// What the products have in common.
template <class InA, class InB, class Out, class Number>
void multiply(mixed_product product, const matrix_view<const InA> &a,
              const matrix_view<const InB> &b, const matrix_view<Out> &c, factors<Number> by,
              const gemm_options &options) {
    check.choices(options);
    check.memory(a, b, c, by.alpha == Number{});

    const context &ctx = base::context_of(options);
    std::optional<gemm_impl::fused_epilogue> finish;
    if (options.epilogue != nullptr) {
        if constexpr (!std::is_same_v<Out, float>)
            check.fail(errc::unsupported, "matrices of integers have no epilogues");
        finish.emplace(*options.epilogue, data_type::f32, c.rows, c.columns, ctx.isa());
        finish->require_apart(gemm_impl::place(c));
    }
    auto plan_options = gemm_impl::gemm_plan_options::from(ctx);
    if (options.threads > 0)
        plan_options.threads = options.threads;
    const gemm_impl::mixed_plan plan(product, gemm_impl::shape_of(data_type::f32, a, b, c, options),
                                     plan_options);
    const auto workspace = base::pool_of(ctx).acquire(plan.workspace_size());
    if (!workspace)
        check.no_workspace(plan.workspace_size());
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

template <class In> void multiply_to_f32(mixed_product product, const matrix_view<const In> &a,
                                         const matrix_view<const In> &b,
                                         const matrix_view<float> &c, const gemm_options &options) {
    check.product(a, b, c);
    check.factors(data_type::f32, options);
    multiply(product, a, b, c,
             factors<float>{.alpha = static_cast<float>(options.alpha.real()),
                            .beta = static_cast<float>(options.beta.real())},
             options);
}

std::uint32_t integer_factor(const char *name, scalar value) {
    if (!base::is_int32(value))
        check.fail(errc::type_mismatch,
                   std::string(name) +
                       " is no integer of 32 bits, but the matrices are of integers");
    return base::integer_factor(value);
}

template <class In> void multiply_integers(mixed_product product, const matrix_view<const In> &a,
                                           const matrix_view<const std::int8_t> &b,
                                           const matrix_view<std::int32_t> &c,
                                           const gemm_options &options) {
    check.product(a, b, c);
    const factors<std::uint32_t> by{.alpha = integer_factor("alpha", options.alpha),
                                    .beta = integer_factor("beta", options.beta)};
    multiply(product, a, b, c, by, options);
}

mixed_product product_of(bf16_sums sums, const context &ctx) {
    base::check_enumerator(sums, "bf16_sums", "gemm");
    auto options = gemm_impl::gemm_plan_options::from(ctx);
    options.sums = sums;
    return gemm_impl::choose_bf16(options);
}

} // namespace

void gemm(matrix_view<const bf16> a, matrix_view<const bf16> b, matrix_view<float> c,
          const gemm_options &options, bf16_sums sums) {
    multiply_to_f32(product_of(sums, base::context_of(options)), a, b, c, options);
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

} // namespace tenfold
