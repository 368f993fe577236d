// One matrix multiplication without its data: extents, strides, conjugations.
#pragma once

#include <tenfold/types.hpp>

namespace tenfold::gemm_impl {

/// D(m x n) = alpha op(A)(m x k) op(B)(k x n) + beta D. Strides are in elements and may have any
/// sign; those of A and B may be 0.
struct gemm_shape {
    data_type type = data_type::f64;
    index_t m = 0, n = 0, k = 0;
    index_t row_stride_a = 0, column_stride_a = 0;
    index_t row_stride_b = 0, column_stride_b = 0;
    index_t row_stride_d = 0, column_stride_d = 0;
    bool conj_a = false, conj_b = false;

    /// Returns true if no elements of B are adjacent.
    bool scatters_b() const noexcept {
        return (row_stride_b > 1 || row_stride_b < -1) &&
               (column_stride_b > 1 || column_stride_b < -1);
    }

    /// Returns the shape of D^T = op(B)^T op(A)^T, which has the same addresses.
    gemm_shape transposed() const noexcept {
        return {type,
                n,
                m,
                k,
                column_stride_b,
                row_stride_b,
                column_stride_a,
                row_stride_a,
                column_stride_d,
                row_stride_d,
                conj_b,
                conj_a};
    }
};

/// The elements (0, 0) of the product that the same thread computes next by the same plan. They are
/// prefetched, and stores past the caches need not have reached memory before it. Null if nothing
/// follows.
struct following {
    const void *a = nullptr;
    const void *b = nullptr;
    const void *d = nullptr;
};

} // namespace tenfold::gemm_impl
