#include <tenfold/gemm_batch.hpp>

#include <optional>
#include <string>

#include "base/context_of.hpp"
#include "base/scalars.hpp"
#include "base/work.hpp"
#include "base/workspace.hpp"
#include "gemm/forms/batch.hpp"
#include "gemm/forms/reduce.hpp"
#include "gemm/plan/arguments.hpp"

namespace tenfold {
namespace {

using gemm_impl::argument_checks;
using gemm_impl::batch_placement;
using gemm_impl::fused_epilogue;
using gemm_impl::place;
using gemm_impl::shape_of;

template <class T> batch_placement place(const matrix_batch<T> &x) {
    return place(x.layout(), x.size(), x.stride());
}

template <class T>
void require_reach(const argument_checks &check, const matrix_batch<T> &x, const char *letter) {
    if (x.by_stride())
        check.reach(place(x), letter);
}

template <class T>
void require_count(const argument_checks &check, const matrix_batch<T> &x, const char *letter) {
    if (x.size() < 0)
        check.fail(errc::invalid_argument, std::string(letter) + " has " +
                                               std::to_string(x.size()) +
                                               " matrices; it has at least 0");
}

template <class T>
void require_data(const argument_checks &check, const matrix_batch<T> &x, const char *letter) {
    if (!x.by_addresses())
        return check.data(x.layout().data, letter);
    for (index_t i = 0; i < x.size(); ++i)
        if (x.address(i) == nullptr)
            check.fail(errc::null_pointer,
                       "address " + std::to_string(i) + " of " + letter + " is null",
                       {.first = {.name = letter}});
}

gemm_impl::gemm_plan_options plan_options_of(const gemm_options &options) {
    auto chosen = gemm_impl::gemm_plan_options::from(base::context_of(options));
    if (options.threads > 0)
        chosen.threads = options.threads;
    chosen.back = options.backend.value_or(chosen.back);
    return chosen;
}

template <class T>
std::optional<fused_epilogue> epilogue_of(const matrix_view<T> &c, const gemm_options &options) {
    if (options.epilogue == nullptr)
        return std::nullopt;
    return fused_epilogue(*options.epilogue, data_type_of<T>, c.rows, c.columns,
                          base::context_of(options).isa());
}

base::workspace_lease workspace_of(const argument_checks &check, byte_count size,
                                   const context &ctx) {
    auto workspace = base::pool_of(ctx).acquire(size);
    if (!workspace)
        check.no_workspace(size);
    return workspace;
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
    require_count(check, a, "A");
    require_count(check, b, "B");
    check.equal("batch", {"A", argument_checks::extent_of::batch, a.size()},
                {"B", argument_checks::extent_of::batch, b.size()});
    check.product(a.layout(), b.layout(), c);
    require_reach(check, a, "A");
    require_reach(check, b, "B");
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
    if (reads_inputs(options, type, a.layout().columns) && a.size() > 0) {
        require_data(check, a, "A");
        require_data(check, b, "B");
        if (a.by_stride())
            check.apart(place(a), "A", place_c);
        if (b.by_stride())
            check.apart(place(b), "B", place_c);
    }

    const auto stride_of = [](const matrix_batch<const T> &x) {
        return x.by_stride() ? std::optional(x.stride()) : std::nullopt;
    };
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
