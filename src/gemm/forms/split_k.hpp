// Small results of long sums: k is cut into leaves, because m and n alone would not occupy a team.
//
// One thread computes each leaf into a matrix of its own, and a fixed tree sums these. The cut does
// not depend on the number of threads, and so neither does the result.
#pragma once

#include <algorithm>

#include "gemm/epilogue.hpp"
#include "gemm/forms/driver.hpp"
#include "gemm/forms/streamed.hpp"

namespace tenfold::gemm_impl {

/// A product of one type. The cut (plan/choose.cpp) depends on shape and kernel only.
struct split_k_problem {
    gemm_shape shape;
    macro_problem leaf;        ///< the longest leaf, on one thread
    streamed_problem in_place; ///< the same, used if operands need not be packed
    bool streams = false;      ///< use `in_place`
    index_t leaves = 1;
    int threads = 1;

    byte_count workspace_size() const noexcept;
};

split_k_problem make_split_k_problem(const gemm_shape &shape, const micro_kernel &kernel,
                                     const macro_place &on, index_t leaves) noexcept;

void run_split_k(const split_k_problem &problem, const product_operands<> &x) noexcept;

/// A mixed product. The cut depends on the shape only, so that results of bf16's dot products do
/// not depend on the instruction set either.
struct leaves_problem {
    gemm_shape shape;
    macro_problem leaf; ///< for all leaves but the last, on one thread
    index_t leaves = 1;
    int threads = 1;

    byte_count workspace_size() const noexcept;
};

leaves_problem make_leaves_problem(const gemm_shape &shape, const micro_kernel &kernel,
                                   const macro_place &on, const element_format &elements,
                                   index_t leaves) noexcept;

template <class Out> void run_leaves(const leaves_problem &problem,
                                     const product_operands<Out, const void *, Out *> &x) noexcept;

/// Leaves that were computed: dense m x n matrices, `size` elements apart.
template <class T> struct computed_leaves {
    T *first;
    index_t size;
    index_t count;
};

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

/// Computes D = alpha * sum of leaves + beta D for some columns and applies the epilogue. Leaves
/// are overwritten in these columns.
template <class T, class Input>
void sum_leaves(const gemm_shape &s, const computed_leaves<T> &leaves,
                const product_operands<T, Input, T *> &x, base::range columns) noexcept {
    const T alpha = x.alpha; // what is stored might overwrite them, for all that the compiler knows
    const T beta = x.beta;
    const index_t run = std::max<index_t>(1, 512 / s.m); // columns; the leaves' runs fit L1 or L2
    for (index_t j = columns.begin; j < columns.end; j += run) {
        const base::range some{j, std::min(columns.end, j + run)};
        add_leaves(leaves.first + j * s.m, leaves.size, {0, leaves.count}, some.size() * s.m);
        for (index_t c = some.begin; c < some.end; ++c)
            for (index_t i = 0; i < s.m; ++i) {
                const T sum = alpha * leaves.first[i + c * s.m];
                T &element = x.d[i * s.row_stride_d + c * s.column_stride_d];
                element = beta == T{} ? sum : sum + beta * element;
            }
        if (x.finish != nullptr)
            x.finish->apply({0, s.m}, some, x.d, s.row_stride_d, s.column_stride_d);
    }
}

} // namespace tenfold::gemm_impl
