// Matrix multiplication with any row and column strides: C = alpha * op(A) * op(B) + beta * C, once
// or for many matrices of one shape.
#ifndef TENFOLD_C_GEMM_H
#define TENFOLD_C_GEMM_H

#include <tenfold/c/context.h>
#include <tenfold/c/control.h>

TENFOLD_BEGIN_C

typedef struct tenfold_epilogue tenfold_epilogue; // <tenfold/c/epilogue.h>

/// A matrix without its data; strides are in elements, of any sign. A dense, column-major one has
/// row_stride 1 and column_stride rows. This struct keeps its form.
typedef struct tenfold_matrix {
    int64_t rows;
    int64_t columns;
    int64_t row_stride;    ///< from one row to the next within a column
    int64_t column_stride; ///< from one column to the next within a row
} tenfold_matrix;

/// A product of matrices: C is m x n, A is m x k, B is k x n. This struct keeps its form.
typedef struct tenfold_product {
    /// Of A and B. C is of this type, or of f32 for bf16 and f16, and of TENFOLD_I32 for TENFOLD_I8
    /// and TENFOLD_U8. The latter is A's only; B is of TENFOLD_I8 then.
    tenfold_type type;
    tenfold_matrix a;
    tenfold_matrix b;
    tenfold_matrix c;
} tenfold_product;

typedef struct tenfold_gemm_options {
    size_t size;
    const tenfold_scalar *alpha; ///< NULL: 1
    const tenfold_scalar *beta;  ///< NULL: 0; then C is not read
    int32_t conj_a;
    int32_t conj_b;
    int32_t threads; ///< 0: the context's
    tenfold_backend backend;
    tenfold_bf16_sums bf16_sums;
    const tenfold_epilogue *epilogue; ///< is applied to C at the end; NULL: none
    const tenfold_control *control;   ///< NULL: none
} tenfold_gemm_options;

/// `options` may be NULL. Codes: TENFOLD_EXTENT_MISMATCH, INVALID_ARGUMENT, OVERFLOW,
/// TYPE_MISMATCH (an imaginary part of alpha or beta for real matrices, a fraction for integers),
/// NULL_POINTER, OVERLAP, UNSUPPORTED, OUT_OF_MEMORY, the same for the epilogue's operands, and
/// STOPPED. C is as it was then, but for a stop.
tenfold_error tenfold_gemm(const tenfold_context *context, const tenfold_product *product,
                           const void *a, const void *b, void *c,
                           const tenfold_gemm_options *options);

/// Where matrices of a batch start: at addresses[i]; or `offsets[i]` elements from `data`; or, if
/// both arrays are NULL, i * stride elements from `data`. Stride 0: the same matrix for all i. This
/// struct keeps its form.
typedef struct tenfold_batch {
    int64_t count;
    const void *data;
    int64_t stride;
    const int64_t *offsets;
    const void *const *addresses;
} tenfold_batch;

/// The same for matrices that are written.
typedef struct tenfold_output_batch {
    int64_t count;
    void *data;
    int64_t stride;
    const int64_t *offsets;
    void *const *addresses;
} tenfold_output_batch;

/// C_i = alpha op(A_i) op(B_i) + beta C_i for all i, of f32, f64, c32 and c64. Codes: those of
/// tenfold_gemm(), and TENFOLD_EXTENT_MISMATCH if the counts differ. That the C_i overlap nothing
/// is checked between strided batches only.
tenfold_error tenfold_gemm_batch(const tenfold_context *context, const tenfold_product *product,
                                 const tenfold_batch *a, const tenfold_batch *b,
                                 const tenfold_output_batch *c,
                                 const tenfold_gemm_options *options);

/// C = alpha sum_i op(A_i) op(B_i) + beta C (batch-reduce GEMM), of the types of tenfold_gemm().
/// The same codes.
tenfold_error tenfold_gemm_batch_reduce(const tenfold_context *context,
                                        const tenfold_product *product, const tenfold_batch *a,
                                        const tenfold_batch *b, void *c,
                                        const tenfold_gemm_options *options);

TENFOLD_END_C

#endif
