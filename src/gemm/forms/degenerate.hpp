// Shapes without data reuse, limited by memory speed: scaling, matrix-vector, outer product.
#pragma once

#include <cstdlib>

#include "base/machine.hpp"
#include "base/parallel.hpp"
#include "gemm/epilogue.hpp"
#include "gemm/kernels/kernel_abi.hpp"
#include "gemm/plan/shape.hpp"

namespace tenfold::gemm_impl {

/// Threads take rows in multiples of this: a multiple of a cache line, of the widest vectors and of
/// the kernels' row groups, so that the sum of a row does not depend on which thread computes it.
inline constexpr index_t row_grain = 64;

/// Computes D = factor D for any element type; D is not read when factor = 0.
template <class T> void scale_elements(const gemm_shape &s, T factor, T *d, int threads) noexcept {
    using base::range;
    if (factor == T(1))
        return;
    // The inner loop runs along the smaller stride.
    const bool swap = std::abs(s.column_stride_d) < std::abs(s.row_stride_d);
    const index_t inner = swap ? s.n : s.m;
    const index_t outer = swap ? s.m : s.n;
    const index_t inner_stride = swap ? s.column_stride_d : s.row_stride_d;
    const index_t outer_stride = swap ? s.row_stride_d : s.column_stride_d;
    base::run_parallel(threads, [&](base::team_member me) {
        const bool by_outer = outer >= me.size();
        const range outers = by_outer ? base::split(outer, me.size(), me.id()) : range{0, outer};
        const range inners =
            by_outer ? range{0, inner} : base::split(inner, me.size(), me.id(), row_grain);
        for (index_t j = outers.begin; j < outers.end; ++j) {
            T *line = d + j * outer_stride;
            if (factor == T{})
                for (index_t i = inners.begin; i < inners.end; ++i)
                    line[i * inner_stride] = T{};
            else
                for (index_t i = inners.begin; i < inners.end; ++i)
                    line[i * inner_stride] *= factor;
        }
    });
}

/// Does the same for the shape's type.
void scale_matrix(const gemm_shape &shape, scalar beta, void *d, int threads) noexcept;

/// Computes y(m) = alpha op(A) x + beta y, the shape with n = 1 (m = 1: a dot product).
///
/// If y has too few elements to occupy the threads, k is cut into leaves, which a fixed tree sums.
/// The cut depends on the shape only, so the result does not depend on the number of threads.
struct gemv_problem {
    enum class access { columns, rows, gather };

    gemm_shape shape;
    const micro_kernel *kernel = nullptr;
    int threads = 1;
    sweep order = sweep::side_by_side; ///< of A

    /// The block of A that is copied at a time where neither of its strides is 1.
    static constexpr index_t gathered_rows = 64;
    static constexpr index_t gathered_columns = 16;

    access form() const noexcept;
    index_t leaves() const noexcept;
    bool gathers_x() const noexcept; ///< copies x before it multiplies
    bool buffers_y() const noexcept; ///< adds up in a copy of y
    /// Throws errc::overflow, because vectors of stride 0 can have any length.
    byte_count workspace_size() const;
};
/// `whole_a`: elements of the tensor that A is a part of.
gemv_problem make_gemv_problem(const gemm_shape &shape, const micro_kernel &kernel,
                               const base::machine &machine, int threads, double whole_a) noexcept;

/// B is x, D is y; the epilogue is applied to each thread's part of y. `next_a` is A of the next
/// product, or null.
void run_gemv(const gemv_problem &problem, const product_operands<> &x,
              const void *next_a = nullptr) noexcept;

/// Computes D = alpha a b^T + beta D, the shape with k = 1.
struct outer_problem {
    gemm_shape shape;
    const micro_kernel *kernel = nullptr;
    int threads = 1;
    bool streams = false; ///< D is written past the cache if beta = 0
    bool adjoins = false; ///< D's columns are short and follow one another without gaps

    bool cuts_lines() const noexcept; ///< columns of D begin or end within cache lines
    /// Adjoining columns are computed in blocks, which are copied past the caches: those that are
    /// shorter than a register.
    bool copies_blocks() const noexcept {
        return streams && adjoins && shape.m < kernel->vector_length;
    }
    byte_count workspace_size() const noexcept; ///< does not overflow: D has as many rows
};
/// `whole_d` is the number of elements of the matrix that D is a part of, or 0.
outer_problem make_outer_problem(const gemm_shape &shape, const micro_kernel &kernel,
                                 const base::machine &machine, int threads,
                                 index_t whole_d) noexcept;
/// `next` follows in a series.
void run_outer(const outer_problem &problem, const product_operands<> &x,
               const following &next = {}) noexcept;

} // namespace tenfold::gemm_impl
