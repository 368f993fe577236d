// Shapes without data reuse, limited by memory speed: scaling, matrix-vector, outer product.
#pragma once

#include <cstddef>

#include "gemm/epilogue.hpp"
#include "gemm/kernels/kernel_abi.hpp"
#include "gemm/plan/shape.hpp"

namespace tenfold::gemm_impl {

/// Computes D = beta D; D is not read when beta = 0.
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

    access form() const noexcept;
    index_t leaves() const noexcept;
    /// Throws errc::overflow, because vectors of stride 0 can have any length.
    byte_count workspace_size() const;
};
/// `finish` (or null) is applied to each thread's part of y. `next_a` is A of the next product, or
/// null.
void run_gemv(const gemv_problem &problem, scalar alpha, const void *a, const void *x, scalar beta,
              void *y, std::byte *workspace, const fused_epilogue *finish,
              const void *next_a = nullptr) noexcept;

/// Computes D = alpha a b^T + beta D, the shape with k = 1.
struct outer_problem {
    gemm_shape shape;
    const micro_kernel *kernel = nullptr;
    int threads = 1;
    bool streams = false; ///< D is written past the cache if beta = 0

    byte_count workspace_size() const noexcept; ///< does not overflow: D has as many rows
};
/// `whole_d` is the number of elements of the matrix that D is a part of, or 0.
outer_problem make_outer_problem(const gemm_shape &shape, const micro_kernel &kernel, int threads,
                                 index_t whole_d) noexcept;
void run_outer(const outer_problem &problem, scalar alpha, const void *a, const void *b,
               scalar beta, void *d, std::byte *workspace, const fused_epilogue *finish) noexcept;

} // namespace tenfold::gemm_impl
