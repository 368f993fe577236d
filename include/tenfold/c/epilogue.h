// Epilogues: element-wise steps on a product before its elements are stored for the last time.
#ifndef TENFOLD_C_EPILOGUE_H
#define TENFOLD_C_EPILOGUE_H

#include <tenfold/c/gemm.h>

TENFOLD_BEGIN_C

/// Element-wise functions of f32 and f64; tenfold::elementwise says how exact they are.
typedef int32_t tenfold_elementwise;
enum {
    TENFOLD_RELU = 0,
    TENFOLD_EXP = 1,
    TENFOLD_TANH = 2,
    TENFOLD_SIGMOID = 3,
    TENFOLD_GELU_TANH = 4,
    TENFOLD_GELU_ERF = 5
};

/// Steps that are applied in order to every element of C: C = f(alpha op(A) op(B) + beta C).
/// Complex matrices allow those that scale, add and multiply only. At most 8 steps; one more gives
/// TENFOLD_INVALID_ARGUMENT. Products may use one epilogue at the same time while none changes it.
tenfold_error tenfold_epilogue_create(tenfold_epilogue **epilogue);
/// NULL is ignored.
void tenfold_epilogue_destroy(tenfold_epilogue *epilogue);

/// c *= factor.
tenfold_error tenfold_epilogue_scale(tenfold_epilogue *epilogue, const tenfold_scalar *factor);

/// c(i, j) += bias[i * stride]: one number for each of the m rows of C. Vectors and matrices are
/// not copied: they must exist whenever the epilogue is used.
tenfold_error tenfold_epilogue_add_along_columns(tenfold_epilogue *epilogue, tenfold_type type,
                                                 const void *bias, int64_t m, int64_t stride);
/// c(i, j) += bias[j * stride]: one number for each of the n columns of C.
tenfold_error tenfold_epilogue_add_along_rows(tenfold_epilogue *epilogue, tenfold_type type,
                                              const void *bias, int64_t n, int64_t stride);
/// c += factor x. `factor` may be NULL: 1.
tenfold_error tenfold_epilogue_add(tenfold_epilogue *epilogue, tenfold_type type,
                                   const tenfold_matrix *matrix, const void *x,
                                   const tenfold_scalar *factor);

/// c *= factor x, element by element.
tenfold_error tenfold_epilogue_multiply(tenfold_epilogue *epilogue, tenfold_type type,
                                        const tenfold_matrix *matrix, const void *x,
                                        const tenfold_scalar *factor);

/// c = function(c).
tenfold_error tenfold_epilogue_apply(tenfold_epilogue *epilogue, tenfold_elementwise function);

/// Replaces `count` adjacent elements by functions of themselves. Several threads call it at once,
/// for runs of any length and in any order; the runs cover every element once.
typedef void (*tenfold_run_function)(void *elements, int64_t count, void *user);

/// c = a function of the caller's, for f32 and f64.
tenfold_error tenfold_epilogue_call(tenfold_epilogue *epilogue, tenfold_type type,
                                    tenfold_run_function function, void *user);

TENFOLD_END_C

#endif
