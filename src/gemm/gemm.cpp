#include <tenfold/gemm.hpp>

#include <optional>

#include "base/context_of.hpp"
#include "base/scalars.hpp"
#include "base/work.hpp"
#include "base/workspace.hpp"
#include "gemm/epilogue.hpp"
#include "gemm/forms/small.hpp"
#include "gemm/plan/arguments.hpp"
#include "gemm/plan/plan.hpp"

namespace tenfold {
namespace {

/// Handles calls with wrong arguments, with an epilogue, or too large for multiply_if_small. Not
/// inline, because the smallest products would pay for its stack.
template <class T>
[[gnu::noinline]] void check_and_multiply(const matrix_view<const T> &a,
                                          const matrix_view<const T> &b, const matrix_view<T> &c,
                                          const gemm_options &options, const context &ctx) {
    const gemm_impl::argument_checks check{"gemm"};
    check.product(a, b, c);
    check.factors(data_type_of<T>, options);
    const scalar alpha = base::round_to(data_type_of<T>, options.alpha);
    const scalar beta = base::round_to(data_type_of<T>, options.beta);
    check.choices(options);
    check.memory(a, b, c, alpha == scalar{});

    std::optional<gemm_impl::fused_epilogue> finish;
    if (options.epilogue != nullptr) {
        finish.emplace(*options.epilogue, data_type_of<T>, c.rows, c.columns, ctx.isa());
        finish->require_apart(gemm_impl::place(c));
    }
    if (finish && gemm_impl::multiply_if_small<T>(a, b, c, options, ctx))
        return finish->apply_all(c.rows, c.columns, c.data, c.row_stride, c.column_stride, 1);
    auto plan_options = gemm_impl::gemm_plan_options::from(ctx);
    if (options.threads > 0)
        plan_options.threads = options.threads;
    plan_options.back = options.backend.value_or(plan_options.back);
    const gemm_impl::gemm_plan plan(gemm_impl::shape_of(data_type_of<T>, a, b, c, options),
                                    plan_options);
    const auto workspace = base::pool_of(ctx).acquire(plan.workspace_size());
    if (!workspace)
        check.no_workspace(plan.workspace_size());
    base::watched_call watched(options.control);
    if (!watched.stops())
        plan.execute({.alpha = alpha,
                      .a = a.data,
                      .b = b.data,
                      .beta = beta,
                      .d = c.data,
                      .workspace = workspace.memory().data(),
                      .finish = finish ? &*finish : nullptr});
    watched.finish();
}

} // namespace

template <class T> void gemm(const matrix_view<const std::type_identity_t<T>> &a,
                             const matrix_view<const std::type_identity_t<T>> &b,
                             const matrix_view<T> &c, const gemm_options &options) {
    const context &ctx = base::context_of(options);
    if (options.epilogue != nullptr || !gemm_impl::multiply_if_small<T>(a, b, c, options, ctx))
        check_and_multiply<T>(a, b, c, options, ctx);
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void gemm(const matrix_view<const T> &, const matrix_view<const T> &,                 \
                       const matrix_view<T> &, const gemm_options &);
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold
