// Sums the leaves of a multiplication whose k was cut.
#pragma once

#include <algorithm>

#include "gemm/epilogue.hpp"
#include "gemm/plan/shape.hpp"

namespace tenfold::gemm_impl {

/// Adds n elements of the leaves in `part` to those of its first leaf, recursively by halves as
/// tree_sum does; the inner loop runs over contiguous elements.
template <class T>
void add_leaves(T *leaf, index_t leaf_size, base::range part, index_t n) noexcept {
    if (part.size() == 1)
        return;
    const index_t middle = part.begin + part.size() / 2;
    add_leaves(leaf, leaf_size, {part.begin, middle}, n);
    add_leaves(leaf, leaf_size, {middle, part.end}, n);
    T *to = leaf + part.begin * leaf_size;
    const T *from = leaf + middle * leaf_size;
    for (index_t i = 0; i < n; ++i)
        to[i] += from[i];
}

/// Computes D = alpha * sum of leaves + beta D for some columns and applies the epilogue. Each leaf
/// is a dense m x n matrix; leaves lie `leaf_size` elements apart and are overwritten in these
/// columns.
template <class T> void sum_leaves(const gemm_shape &s, T *leaf, index_t leaf_size, index_t leaves,
                                   T alpha, T beta, T *d, base::range columns,
                                   const fused_epilogue *finish) noexcept {
    const index_t run = std::max<index_t>(1, 512 / s.m); // columns; the leaves' runs fit L1 or L2
    for (index_t j = columns.begin; j < columns.end; j += run) {
        const base::range some{j, std::min(columns.end, j + run)};
        add_leaves(leaf + j * s.m, leaf_size, {0, leaves}, some.size() * s.m);
        for (index_t c = some.begin; c < some.end; ++c)
            for (index_t i = 0; i < s.m; ++i) {
                const T sum = alpha * leaf[i + c * s.m];
                T &element = d[i * s.row_stride_d + c * s.column_stride_d];
                element = beta == T{} ? sum : sum + beta * element;
            }
        if (finish != nullptr)
            finish->apply({0, s.m}, some, d, s.row_stride_d, s.column_stride_d);
    }
}

} // namespace tenfold::gemm_impl
