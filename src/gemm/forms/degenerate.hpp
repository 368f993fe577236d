// Shapes without reuse, where memory speed is all there is: scaling, matrix-vector, outer product.
#pragma once

#include <cstddef>

#include "gemm/epilogue.hpp"
#include "gemm/kernels/kernel_abi.hpp"
#include "gemm/plan/shape.hpp"

namespace tenfold::gemm_impl {

/// D = beta D; D is not read when beta = 0.
void scale_matrix(const gemm_shape &shape, scalar beta, void *d, int threads) noexcept;

/// y(m) = alpha op(A) x + beta y, the shape with n = 1 (m = 1: a dot product).
///
/// k is cut into leaves, and these summed by a fixed tree, when y alone would not occupy the
/// threads; the cut depends on the shape only, so the result does not depend on the threads.
struct gemv_problem {
    enum class access { columns, rows, gather };

    gemm_shape shape;
    const micro_kernel *kernel = nullptr;
    int threads = 1;

    access form() const noexcept;
    index_t leaves() const noexcept;
    /// Throws errc::overflow: vectors of stride 0 have any length.
    byte_count workspace_size() const;
};
/// `finish` (or null) is applied to each thread's part of y. `next_a`: A of the product that comes
/// next, or null.
void run_gemv(const gemv_problem &problem, scalar alpha, const void *a, const void *x, scalar beta,
              void *y, std::byte *workspace, const fused_epilogue *finish,
              const void *next_a = nullptr) noexcept;

/// D = alpha a b^T + beta D, the shape with k = 1.
struct outer_problem {
    gemm_shape shape;
    const micro_kernel *kernel = nullptr;
    int threads = 1;
    bool streams = false; ///< D past the cache where beta = 0

    byte_count workspace_size() const noexcept; ///< fits: D has as many rows
};
/// `whole_d`: elements of what D is a part of, if it is.
outer_problem make_outer_problem(const gemm_shape &shape, const micro_kernel &kernel, int threads,
                                 index_t whole_d) noexcept;
void run_outer(const outer_problem &problem, scalar alpha, const void *a, const void *b,
               scalar beta, void *d, std::byte *workspace, const fused_epilogue *finish) noexcept;

} // namespace tenfold::gemm_impl
