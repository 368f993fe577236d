// Transpositions: B = alpha * op(permuted A) + beta * B.
#ifndef TENFOLD_C_TRANSPOSE_H
#define TENFOLD_C_TRANSPOSE_H

#include <tenfold/c/context.h>
#include <tenfold/c/control.h>

TENFOLD_BEGIN_C

typedef struct tenfold_transpose_options {
    size_t size;
    tenfold_tuning tuning;
    int32_t threads;              ///< 0: the context's
    tenfold_choice bypass_caches; ///< whether B is written with non-temporal stores
    const tenfold_scalar *beta;   ///< that TENFOLD_TUNING_MEASURE measures with; NULL: 0
    double tuning_seconds;        ///< that tuning may take in all; 0: what its level takes
} tenfold_transpose_options;

/// A permutation from one layout to another, decided once and executed many times. It does not
/// change and holds no data pointers; any number of threads may use one.
typedef struct tenfold_transpose_plan tenfold_transpose_plan;

/// Mode k of B is mode permutation[k] of A; b->order entries. Types may differ if one converts into
/// the other (docs/semantics.md). `options` may be NULL; `permutation` may if the order is 0.
/// Codes: TENFOLD_ORDER_MISMATCH, EXTENT_MISMATCH, TYPE_MISMATCH, INVALID_ARGUMENT (not a
/// permutation, options out of range), OVERFLOW, OVERLAP (B overlaps itself), OUT_OF_MEMORY. *plan
/// is NULL unless TENFOLD_OK is returned.
tenfold_error tenfold_transpose_create(const tenfold_context *context, const int32_t *permutation,
                                       const tenfold_tensor *a, const tenfold_tensor *b,
                                       const tenfold_transpose_options *options,
                                       tenfold_transpose_plan **plan);
/// NULL is ignored.
void tenfold_transpose_destroy(tenfold_transpose_plan *plan);

/// Executes the plan; `options` may be NULL. A and B share no elements, unless they are the same
/// elements in the same places. Codes: TENFOLD_TYPE_MISMATCH (an imaginary part for real tensors),
/// NULL_POINTER, OVERLAP, STOPPED.
tenfold_error tenfold_transpose_execute(const tenfold_transpose_plan *plan, const void *a, void *b,
                                        const tenfold_execute_options *options);

/// Transposes by an expression with one input, "badc=abcd". `operands` and `data` have one input,
/// which is A; d is B, and c is NULL. Both options may be NULL, and options->beta is not used here.
/// Codes of both functions above, and TENFOLD_SYNTAX, UNKNOWN_LABEL, REPEATED_LABEL.
tenfold_error tenfold_transpose(const tenfold_context *context, const char *expression,
                                const tenfold_operands *operands, const tenfold_data *data,
                                const tenfold_transpose_options *options,
                                const tenfold_execute_options *execute_options);

/// Fused modes, loop order, blocking, kernel, threads, predicted seconds. The text lives as long as
/// the plan.
tenfold_error tenfold_transpose_explain(const tenfold_transpose_plan *plan, const char **text);

tenfold_error tenfold_transpose_predicted_seconds(const tenfold_transpose_plan *plan,
                                                  double *seconds);
/// Bytes of A and B, those of B twice if reads_b is not 0.
tenfold_error tenfold_transpose_traffic(const tenfold_transpose_plan *plan, int32_t reads_b,
                                        int64_t *bytes);

TENFOLD_END_C

#endif
