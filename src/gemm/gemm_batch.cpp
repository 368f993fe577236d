#include <tenfold/gemm_batch.hpp>

#include <optional>
#include <string>

#include "base/scalars.hpp"
#include "base/workspace.hpp"
#include "gemm/batch.hpp"
#include "gemm/overlap.hpp"
#include "gemm/reduce.hpp"

namespace tenfold {
namespace {

using gemm_impl::batch_placement;
using gemm_impl::fused_epilogue;

/// Messages begin with the function's name.
struct checker {
    std::string function;

    [[noreturn]] void fail(errc code, const std::string &message) const {
        throw error(code, function + ": " + message);
    }

    template <class T> void extents(const matrix_view<T> &x, const char *letter) const {
        if (x.rows < 0 || x.columns < 0)
            fail(errc::invalid_argument, std::string(letter) + " has " + std::to_string(x.rows) +
                                             " rows and " + std::to_string(x.columns) +
                                             " columns; neither may be negative");
    }

    void equal(const char *name, index_t one, const char *one_what, index_t other,
               const char *other_what) const {
        if (one != other)
            fail(errc::extent_mismatch, std::string(name) + ": " + one_what + " is " +
                                            std::to_string(one) + ", " + other_what + " is " +
                                            std::to_string(other));
    }

    template <class T> void extents(const matrix_view<const T> &a, const matrix_view<const T> &b,
                                    const matrix_view<T> &c) const {
        extents(a, "A");
        extents(b, "B");
        extents(c, "C");
        equal("m", a.rows, "rows of A", c.rows, "rows of C");
        equal("n", b.columns, "columns of B", c.columns, "columns of C");
        equal("k", a.columns, "columns of A", b.rows, "rows of B");
    }

    template <class T> void counts(const matrix_batch<T> &x, const char *letter) const {
        if (x.size() < 0)
            fail(errc::invalid_argument, std::string(letter) + " has " + std::to_string(x.size()) +
                                             " matrices; it has at least 0");
    }

    void options(data_type type, const gemm_options &given) const {
        if (!base::fits(type, given.alpha) || !base::fits(type, given.beta))
            fail(errc::type_mismatch,
                 "alpha or beta has an imaginary part, but the matrices are real");
        if (given.threads < 0)
            fail(errc::invalid_argument,
                 "threads is " + std::to_string(given.threads) + "; it is at least 0");
    }

    template <class T> void data(const matrix_batch<T> &x, const char *letter) const {
        if (x.by_addresses()) {
            for (index_t i = 0; i < x.size(); ++i)
                if (x.address(i) == nullptr)
                    fail(errc::null_pointer, std::string("address ") + std::to_string(i) + " of " +
                                                 letter + " is null");
        } else if (x.layout().data == nullptr) {
            fail(errc::null_pointer, std::string(letter) + " is null");
        }
    }

    void not_itself(const batch_placement &c) const {
        if (!gemm_impl::overlaps_itself(c))
            return;
        const std::string strides = "row stride " + std::to_string(c.first.row_stride) +
                                    ", column stride " + std::to_string(c.first.column_stride);
        if (gemm_impl::overlaps_itself(c.first))
            fail(errc::overlap, "C overlaps itself: " + strides);
        fail(errc::overlap, "matrices of C overlap each other: " + strides +
                                ", from matrix to matrix " + std::to_string(c.stride));
    }

    void apart(const batch_placement &input, const char *letter, const batch_placement &c) const {
        if (gemm_impl::share_memory(input, c))
            fail(errc::overlap, std::string("C overlaps ") + letter + "; copy " + letter +
                                    " or write to other matrices");
    }
};

template <class T> batch_placement place(const matrix_view<T> &x, index_t count, index_t stride) {
    return {{x.data, sizeof(T), x.rows, x.columns, x.row_stride, x.column_stride}, count, stride};
}
template <class T> batch_placement place(const matrix_batch<T> &x) {
    return place(x.layout(), x.size(), x.stride());
}

const context &context_of(const gemm_options &options) {
    return options.ctx != nullptr ? *options.ctx : context::global();
}

gemm_impl::gemm_plan_options plan_options_of(const gemm_options &options) {
    auto chosen = gemm_impl::gemm_plan_options::from(context_of(options));
    if (options.threads > 0)
        chosen.threads = options.threads;
    chosen.back = options.backend.value_or(chosen.back);
    return chosen;
}

template <class T>
gemm_impl::gemm_shape shape_of(const matrix_view<const T> &a, const matrix_view<const T> &b,
                               const matrix_view<T> &c, const gemm_options &options) {
    return {data_type_of<T>, c.rows,          c.columns,      a.columns,
            a.row_stride,    a.column_stride, b.row_stride,   b.column_stride,
            c.row_stride,    c.column_stride, options.conj_a, options.conj_b};
}

template <class T>
std::optional<fused_epilogue> epilogue_of(const matrix_view<T> &c, const gemm_options &options) {
    if (options.epilogue == nullptr)
        return std::nullopt;
    return fused_epilogue(*options.epilogue, data_type_of<T>, c.rows, c.columns,
                          context_of(options).isa());
}

base::workspace_lease workspace_of(const checker &check, byte_count size, const context &ctx) {
    auto workspace = ctx.pool().acquire(size);
    if (!workspace)
        check.fail(errc::out_of_memory,
                   "cannot allocate " + std::to_string(size.value) + " bytes of workspace");
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
    const checker check{"gemm_batch"};
    check.counts(a, "A");
    check.counts(b, "B");
    check.counts(c, "C");
    check.equal("batch", a.size(), "number of matrices of A", c.size(), "number of matrices of C");
    check.equal("batch", b.size(), "number of matrices of B", c.size(), "number of matrices of C");
    check.extents(a.layout(), b.layout(), c.layout());
    check.options(type, options);
    const auto finish = epilogue_of(c.layout(), options);
    if (c.size() == 0 || c.layout().rows == 0 || c.layout().columns == 0)
        return;

    check.data(c, "C");
    if (c.by_stride())
        check.not_itself(place(c));
    else
        check.not_itself(place(c.layout(), 1, 0));
    if (finish) {
        if (c.by_stride())
            finish->require_apart(place(c));
        else
            for (index_t i = 0; i < c.size(); ++i) {
                matrix_view<T> one = c.layout();
                one.data = c.address(i);
                finish->require_apart(place(one, 1, 0));
            }
    }
    if (reads_inputs(options, type, a.layout().columns)) {
        check.data(a, "A");
        check.data(b, "B");
        if (a.by_stride() && c.by_stride())
            check.apart(place(a), "A", place(c));
        if (b.by_stride() && c.by_stride())
            check.apart(place(b), "B", place(c));
    }

    const gemm_impl::batch_plan plan(shape_of(a.layout(), b.layout(), c.layout(), options),
                                     c.size(), plan_options_of(options));
    const auto workspace = workspace_of(check, plan.workspace_size(), context_of(options));
    plan.execute(base::round_to(type, options.alpha), a, b, base::round_to(type, options.beta), c,
                 workspace.memory().data(), finish ? &*finish : nullptr);
}

template <class T> void gemm_batch_reduce(const matrix_batch<const std::type_identity_t<T>> &a,
                                          const matrix_batch<const std::type_identity_t<T>> &b,
                                          matrix_view<T> c, const gemm_options &options) {
    constexpr data_type type = data_type_of<T>;
    const checker check{"gemm_batch_reduce"};
    check.counts(a, "A");
    check.counts(b, "B");
    check.equal("batch", a.size(), "number of matrices of A", b.size(), "number of matrices of B");
    check.extents(a.layout(), b.layout(), c);
    check.options(type, options);
    const auto finish = epilogue_of(c, options);
    if (c.rows == 0 || c.columns == 0)
        return;

    const batch_placement place_c = place(c, 1, 0);
    if (c.data == nullptr)
        check.fail(errc::null_pointer, "C is null");
    check.not_itself(place_c);
    if (finish)
        finish->require_apart(place_c);
    if (reads_inputs(options, type, a.layout().columns) && a.size() > 0) {
        check.data(a, "A");
        check.data(b, "B");
        if (a.by_stride())
            check.apart(place(a), "A", place_c);
        if (b.by_stride())
            check.apart(place(b), "B", place_c);
    }

    const auto stride_of = [](const matrix_batch<const T> &x) {
        return x.by_stride() ? std::optional(x.stride()) : std::nullopt;
    };
    const gemm_impl::reduce_plan plan(shape_of(a.layout(), b.layout(), c, options), a.size(),
                                      stride_of(a), stride_of(b), plan_options_of(options));
    const auto workspace = workspace_of(check, plan.workspace_size(), context_of(options));
    plan.execute(base::round_to(type, options.alpha), a, b, base::round_to(type, options.beta),
                 c.data, workspace.memory().data(), finish ? &*finish : nullptr);
}

#define TENFOLD_INSTANTIATE(T)                                                                     \
    template void gemm_batch(const matrix_batch<const T> &, const matrix_batch<const T> &,         \
                             const matrix_batch<T> &, const gemm_options &);                       \
    template void gemm_batch_reduce(const matrix_batch<const T> &, const matrix_batch<const T> &,  \
                                    matrix_view<T>, const gemm_options &);
TENFOLD_INSTANTIATE(float)
TENFOLD_INSTANTIATE(double)
TENFOLD_INSTANTIATE(c32)
TENFOLD_INSTANTIATE(c64)

} // namespace tenfold
