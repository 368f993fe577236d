// The interface of the vector-loop kernels. Only plain declarations are allowed here, because files
// that include it are compiled for one ISA each.
#pragma once

#include <stdint.h>

namespace tenfold::contract_impl {

/// Operands of `rows` passes over n elements each; strides in elements. Scalars as (real,
/// imaginary).
struct vector_operands {
    int64_t n;
    int64_t rows;
    const void *a;
    const void *b;
    void *d;
    int64_t stride_a, stride_b, stride_d;
    int64_t row_stride_a, row_stride_b, row_stride_d; ///< from each pass to the next
    double alpha[2];
    double beta[2];
    bool conjugate_a, conjugate_b;
    /// If beta is 0 and strides are 1, whole lines of D are written past the caches; the caller
    /// ends that with base::finish_streaming().
    bool past_caches;
};

/// The most rows of `dots_side_by_side`.
constexpr int64_t most_dots_side_by_side = 16;

/// In every row, `multiply`: d[i] = alpha a[i] b[i] + beta d[i]. `dot`: d[0] = alpha sum a[i] b[i]
/// + beta d[0], summed in a fixed order; `dots_side_by_side`: the same where the rows' elements
/// take turns in A and in B: their row strides are 1, and their strides the number of rows. With
/// beta = 0, d is not read. Scalars are rounded to the element type.
struct vector_kernels {
    void (*multiply)(const vector_operands &);
    void (*dot)(const vector_operands &);
    void (*dots_side_by_side)(const vector_operands &);
};

/// The kernels of one ISA for all element types.
struct vector_kernel_set {
    vector_kernels f32, f64, c32, c64;
};

} // namespace tenfold::contract_impl
