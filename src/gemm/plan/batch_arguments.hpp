// What the public functions of batches check of their arguments, and take from their options.
#pragma once

#include <optional>
#include <string>

#include <tenfold/gemm_batch.hpp>

#include "base/context_of.hpp"
#include "base/workspace.hpp"
#include "gemm/plan/arguments.hpp"
#include "gemm/plan/options.hpp"

namespace tenfold::gemm_impl {

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

/// Checks C(m x n) = sum of A_i(m x k) B_i(k x n): the numbers of matrices and the extents agree,
/// and positions fit 64 bits.
template <class InA, class InB, class Out>
void require_sum(const argument_checks &check, const matrix_batch<InA> &a,
                 const matrix_batch<InB> &b, const matrix_view<Out> &c) {
    require_count(check, a, "A");
    require_count(check, b, "B");
    check.equal("batch", {"A", argument_checks::extent_of::batch, a.size()},
                {"B", argument_checks::extent_of::batch, b.size()});
    check.product(a.layout(), b.layout(), c);
    require_reach(check, a, "A");
    require_reach(check, b, "B");
}

/// Checks the inputs of such a sum, which are read: they are not null, and C overlaps none of them.
template <class InA, class InB>
void require_summed_inputs(const argument_checks &check, const matrix_batch<InA> &a,
                           const matrix_batch<InB> &b, const batch_placement &c) {
    require_data(check, a, "A");
    require_data(check, b, "B");
    if (a.by_stride())
        check.apart(place(a), "A", c);
    if (b.by_stride())
        check.apart(place(b), "B", c);
}

/// From each matrix to the next, if that is always the same.
template <class T> std::optional<index_t> stride_of(const matrix_batch<T> &x) {
    return x.by_stride() ? std::optional(x.stride()) : std::nullopt;
}

inline gemm_plan_options plan_options_of(const gemm_options &options) {
    auto chosen = gemm_plan_options::from(base::context_of(options));
    if (options.threads > 0)
        chosen.threads = options.threads;
    chosen.back = options.backend.value_or(chosen.back);
    return chosen;
}

inline base::workspace_lease workspace_of(const argument_checks &check, byte_count size,
                                          const context &ctx) {
    auto workspace = base::pool_of(ctx).acquire(size);
    if (!workspace)
        check.no_workspace(size);
    return workspace;
}

} // namespace tenfold::gemm_impl
