// The end of a multiplication whose k was cut into leaves.
#pragma once

#include "gemm/epilogue.hpp"
#include "gemm/shape.hpp"
#include "gemm/tree_sum.hpp"

namespace tenfold::gemm_impl {

/// D = alpha sum of leaves + beta D for some columns, and the epilogue. Each leaf is m x n without
/// gaps; they lie `leaf_size` elements apart.
template <class T> void sum_leaves(const gemm_shape &s, const T *leaf, index_t leaf_size,
                                   index_t leaves, T alpha, T beta, T *d, base::range columns,
                                   const fused_epilogue *finish) noexcept {
    for (index_t j = columns.begin; j < columns.end; ++j) {
        for (index_t i = 0; i < s.m; ++i) {
            const T sum = alpha * tree_sum(leaf + i + j * s.m, leaf_size, {0, leaves});
            T &element = d[i * s.row_stride_d + j * s.column_stride_d];
            element = beta == T{} ? sum : sum + beta * element;
        }
        if (finish != nullptr)
            finish->apply({0, s.m}, {j, j + 1}, d, s.row_stride_d, s.column_stride_d);
    }
}

} // namespace tenfold::gemm_impl
