#include <tenfold/gemm.hpp>

#include <optional>
#include <string>

#include "base/scalars.hpp"
#include "base/workspace.hpp"
#include "gemm/epilogue.hpp"
#include "gemm/overlap.hpp"
#include "gemm/plan.hpp"
#include "gemm/small.hpp"

namespace tenfold {
namespace {

/// One extent of two matrices: "A has 24 columns, B has 20 rows".
void require_equal(index_t one, const char *one_what, index_t other, const char *other_what,
                   const char *name) {
    if (one != other)
        throw error(errc::extent_mismatch, std::string("gemm: ") + name + ": " + one_what + " is " +
                                               std::to_string(one) + ", " + other_what + " is " +
                                               std::to_string(other));
}

template <class T> void require_extents(const matrix_view<T> &matrix, const char *letter) {
    if (matrix.rows < 0 || matrix.columns < 0)
        throw error(errc::invalid_argument, std::string("gemm: ") + letter + " has " +
                                                std::to_string(matrix.rows) + " rows and " +
                                                std::to_string(matrix.columns) +
                                                " columns; neither may be negative");
}

template <class T> gemm_impl::matrix_placement place(const matrix_view<T> &matrix) {
    return {matrix.data,    sizeof(T),         matrix.rows,
            matrix.columns, matrix.row_stride, matrix.column_stride};
}

template <class A, class C>
void require_apart(const matrix_view<A> &input, const char *letter, const matrix_view<C> &c) {
    if (gemm_impl::share_memory(place(input), place(c)))
        throw error(errc::overlap, std::string("gemm: C overlaps ") + letter + "; copy " + letter +
                                       " or write to another matrix");
}

void require_data(const void *data, const char *letter) {
    if (data == nullptr)
        throw error(errc::null_pointer, std::string("gemm: ") + letter + " is null");
}

} // namespace

template <class T> void gemm(matrix_view<const std::type_identity_t<T>> a,
                             matrix_view<const std::type_identity_t<T>> b, matrix_view<T> c,
                             const gemm_options &options) {
    const context &ctx = options.ctx != nullptr ? *options.ctx : context::global();
    if constexpr (!is_complex(data_type_of<T>))
        if (options.epilogue == nullptr && gemm_impl::multiply_if_small<T>(a, b, c, options, ctx))
            return;
    require_extents(a, "A");
    require_extents(b, "B");
    require_extents(c, "C");
    require_equal(a.rows, "rows of A", c.rows, "rows of C", "m");
    require_equal(b.columns, "columns of B", c.columns, "columns of C", "n");
    require_equal(a.columns, "columns of A", b.rows, "rows of B", "k");
    if (!base::fits(data_type_of<T>, options.alpha) || !base::fits(data_type_of<T>, options.beta))
        throw error(errc::type_mismatch,
                    "gemm: alpha or beta has an imaginary part, but the matrices are real");
    const scalar alpha = base::round_to(data_type_of<T>, options.alpha);
    const scalar beta = base::round_to(data_type_of<T>, options.beta);
    if (options.threads < 0)
        throw error(errc::invalid_argument,
                    "gemm: threads is " + std::to_string(options.threads) + "; it is at least 0");

    if (c.rows > 0 && c.columns > 0) {
        require_data(c.data, "C");
        if (gemm_impl::overlaps_itself(place(c)))
            throw error(errc::overlap, "gemm: C overlaps itself: row stride " +
                                           std::to_string(c.row_stride) + ", column stride " +
                                           std::to_string(c.column_stride));
        if (alpha != scalar{} && a.columns > 0) {
            require_data(a.data, "A");
            require_data(b.data, "B");
            require_apart(a, "A", c);
            require_apart(b, "B", c);
        }
    }

    std::optional<gemm_impl::fused_epilogue> finish;
    if (options.epilogue != nullptr) {
        finish.emplace(*options.epilogue, data_type_of<T>, c.rows, c.columns, ctx.isa());
        finish->require_apart({place(c), 1, 0});
    }
    if constexpr (!is_complex(data_type_of<T>))
        if (finish && gemm_impl::multiply_if_small<T>(a, b, c, options, ctx))
            return finish->apply_all(c.data, c.row_stride, c.column_stride, 1);
    auto plan_options = gemm_impl::gemm_plan_options::from(ctx);
    if (options.threads > 0)
        plan_options.threads = options.threads;
    plan_options.back = options.backend.value_or(plan_options.back);
    const gemm_impl::gemm_plan plan({data_type_of<T>, c.rows, c.columns, a.columns, a.row_stride,
                                     a.column_stride, b.row_stride, b.column_stride, c.row_stride,
                                     c.column_stride, options.conj_a, options.conj_b},
                                    plan_options);
    const auto workspace = ctx.pool().acquire(plan.workspace_size());
    if (!workspace)
        throw error(errc::out_of_memory, "gemm: cannot allocate " +
                                             std::to_string(plan.workspace_size().value) +
                                             " bytes of workspace");
    plan.execute(alpha, a.data, b.data, beta, c.data, workspace.memory().data(),
                 finish ? &*finish : nullptr);
}

template void gemm(matrix_view<const float>, matrix_view<const float>, matrix_view<float>,
                   const gemm_options &);
template void gemm(matrix_view<const double>, matrix_view<const double>, matrix_view<double>,
                   const gemm_options &);
template void gemm(matrix_view<const c32>, matrix_view<const c32>, matrix_view<c32>,
                   const gemm_options &);
template void gemm(matrix_view<const c64>, matrix_view<const c64>, matrix_view<c64>,
                   const gemm_options &);

} // namespace tenfold
