#include <tenfold/gemm_batch.hpp>

#include <optional>

#include "base/context_of.hpp"
#include "base/scalars.hpp"
#include "base/work.hpp"
#include "base/workspace.hpp"
#include "gemm/forms/batch.hpp"
#include "gemm/forms/reduce.hpp"
#include "gemm/plan/batch_arguments.hpp"

namespace tenfold {
namespace {

using gemm_impl::argument_checks;
using gemm_impl::batch_placement;
using gemm_impl::fused_epilogue;
using gemm_impl::place;
using gemm_impl::plan_options_of;
using gemm_impl::require_count;
using gemm_impl::require_data;
using gemm_impl::require_reach;
using gemm_impl::shape_of;
using gemm_impl::stride_of;
using gemm_impl::workspace_of;

template <class T>
std::optional<fused_epilogue> epilogue_of(const matrix_view<T> &c, const gemm_options &options) {
    if (options.epilogue == nullptr)
        return std::nullopt;
    return fused_epilogue(*options.epilogue, data_type_of<T>, c.rows, c.columns,
                          base::context_of(options).isa());
}

bool reads_inputs(const gemm_options &options, data_type type, index_t k) {
    return base::round_to(type, options.alpha) != scalar{} && k > 0;
}

} // namespace

template <class T> void gemm_batch(const matrix_batch<const std::type_identity_t<T>> &a,
                                   const matrix_batch<const std::type_identity_t<T>> &b,
                                   const matrix_batch<T> &c, const gemm_options &options) {
    constexpr data_type type = data_type_of<T>;
    const argument_checks check{"gemm_batch"};
    require_count(check, a, "A");
    require_count(check, b, "B");
    require_count(check, c, "C");
    check.equal("batch", {"A", argument_checks::extent_of::batch, a.size()},
                {"C", argument_checks::extent_of::batch, c.size()});
    check.equal("batch", {"B", argument_checks::extent_of::batch, b.size()},
                {"C", argument_checks::extent_of::batch, c.size()});
    check.product(a.layout(), b.layout(), c.layout());
    require_reach(check, a, "A");
    require_reach(check, b, "B");
    require_reach(check, c, "C");
    check.factors(type, options);
    check.choices(options);
    const auto finish = epilogue_of(c.layout(), options);
    if (c.size() == 0 || c.layout().rows == 0 || c.layout().columns == 0)
        return;

    require_data(check, c, "C");
    if (c.by_stride())
        check.not_itself(place(c));
    else
        check.not_itself(place(c.layout()));
    if (finish) {
        if (c.by_stride())
            finish->require_apart(place(c));
        else
            for (index_t i = 0; i < c.size(); ++i) {
                matrix_view<T> one = c.layout();
                one.data = c.address(i);
                finish->require_apart(place(one));
            }
    }
    if (reads_inputs(options, type, a.layout().columns)) {
        require_data(check, a, "A");
        require_data(check, b, "B");
        if (a.by_stride() && c.by_stride())
            check.apart(place(a), "A", place(c));
        if (b.by_stride() && c.by_stride())
            check.apart(place(b), "B", place(c));
    }

    const gemm_impl::batch_plan plan(shape_of(type, a.layout(), b.layout(), c.layout(), options),
                                     c.size(), plan_options_of(options));
    const auto workspace = workspace_of(check, plan.workspace_size(), base::context_of(options));
    base::watched_call watched(options.control);
    if (!watched.stops())
        plan.execute<T>({.alpha = base::round_to(type, options.alpha),
                         .a = a,
                         .b = b,
                         .beta = base::round_to(type, options.beta),
                         .d = c,
                         .workspace = workspace.memory().data(),
                         .finish = finish ? &*finish : nullptr});
    watched.finish();
}

template <class T> void gemm_batch_reduce(const matrix_batch<const std::type_identity_t<T>> &a,
                                          const matrix_batch<const std::type_identity_t<T>> &b,
                                          matrix_view<T> c, const gemm_options &options) {
    constexpr data_type type = data_type_of<T>;
    const argument_checks check{"gemm_batch_reduce"};
    gemm_impl::require_sum(check, a, b, c);
    check.factors(type, options);
    check.choices(options);
    const auto finish = epilogue_of(c, options);
    if (c.rows == 0 || c.columns == 0)
        return;

    const batch_placement place_c = place(c);
    check.data(c.data, "C");
    check.not_itself(place_c);
    if (finish)
        finish->require_apart(place_c);
    if (reads_inputs(options, type, a.layout().columns) && a.size() > 0)
        gemm_impl::require_summed_inputs(check, a, b, place_c);

    const gemm_impl::reduce_plan plan({.each = shape_of(type, a.layout(), b.layout(), c, options),
                                       .count = a.size(),
                                       .stride_a = stride_of(a),
                                       .stride_b = stride_of(b)},
                                      plan_options_of(options));
    const auto workspace = workspace_of(check, plan.workspace_size(), base::context_of(options));
    base::watched_call watched(options.control);
    if (!watched.stops())
        plan.execute<T>({.alpha = base::round_to(type, options.alpha),
                         .a = a,
                         .b = b,
                         .beta = base::round_to(type, options.beta),
                         .d = c.data,
                         .workspace = workspace.memory().data(),
                         .finish = finish ? &*finish : nullptr});
    watched.finish();
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void gemm_batch(const matrix_batch<const T> &, const matrix_batch<const T> &,         \
                             const matrix_batch<T> &, const gemm_options &);                       \
    template void gemm_batch_reduce(const matrix_batch<const T> &, const matrix_batch<const T> &,  \
                                    matrix_view<T>, const gemm_options &);
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold
