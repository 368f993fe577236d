// Epilogues of contractions: element-wise steps on D before its elements are stored for the last
// time.
#ifndef TENFOLD_C_CONTRACTION_EPILOGUE_H
#define TENFOLD_C_CONTRACTION_EPILOGUE_H

#include <tenfold/c/contract.h>
#include <tenfold/c/epilogue.h>

TENFOLD_BEGIN_C

/// Steps that are applied in order to every element of D: D = f(alpha op(A) op(B) + beta op(C)).
/// tenfold::contraction_epilogue says more. Complex tensors allow those that scale, add and
/// multiply only. At most 8 steps; one more gives TENFOLD_INVALID_ARGUMENT. Contractions may use
/// one epilogue at the same time while none changes it. A plan does not keep it.
tenfold_error tenfold_contraction_epilogue_create(tenfold_contraction_epilogue **epilogue);
/// NULL is ignored.
void tenfold_contraction_epilogue_destroy(tenfold_contraction_epilogue *epilogue);

/// d *= factor.
tenfold_error tenfold_contraction_epilogue_scale(tenfold_contraction_epilogue *epilogue,
                                                 const tenfold_scalar *factor);

/// d += factor op(x), along the labels of x, some or all of D's: "b", "[occ,vir]", or "" for a
/// scalar. `x` may be NULL where only a plan is made; the tensor is not copied: it must exist
/// whenever the epilogue is used in a call. `factor` may be NULL: 1. Codes: TENFOLD_SYNTAX,
/// INVALID_ARGUMENT, OVERFLOW. Whether the tensor goes with D is found out where the epilogue is
/// used: UNKNOWN_LABEL, ORDER_MISMATCH, EXTENT_MISMATCH, TYPE_MISMATCH.
tenfold_error tenfold_contraction_epilogue_add(tenfold_contraction_epilogue *epilogue,
                                               const char *labels, const tenfold_tensor *tensor,
                                               const void *x, const tenfold_scalar *factor);
/// d *= factor op(x).
tenfold_error tenfold_contraction_epilogue_multiply(tenfold_contraction_epilogue *epilogue,
                                                    const char *labels,
                                                    const tenfold_tensor *tensor, const void *x,
                                                    const tenfold_scalar *factor);

/// d = function(d).
tenfold_error tenfold_contraction_epilogue_apply(tenfold_contraction_epilogue *epilogue,
                                                 tenfold_elementwise function);

/// d = a function of the caller's, for f32 and f64.
tenfold_error tenfold_contraction_epilogue_call(tenfold_contraction_epilogue *epilogue,
                                                tenfold_type type, tenfold_run_function function,
                                                void *user);

TENFOLD_END_C

#endif
