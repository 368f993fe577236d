// Many contractions of one form, with tensors of their own each.
#ifndef TENFOLD_C_CONTRACT_BATCH_H
#define TENFOLD_C_CONTRACT_BATCH_H

#include <tenfold/c/contract.h>

TENFOLD_BEGIN_C

/// Where one input, or C, begins in each contraction of a batch: at addresses[i], or if there are
/// no addresses at first + i * stride elements. These structs keep their form.
typedef struct tenfold_batch_input {
    const void *first;
    int64_t stride;               ///< 0: one tensor for all contractions
    const void *const *addresses; ///< NULL, or as many as there are contractions
} tenfold_batch_input;

/// The same for D.
typedef struct tenfold_batch_output {
    void *first;
    int64_t stride;
    void *const *addresses;
} tenfold_batch_output;

/// The tensors of `count` contractions of one plan.
typedef struct tenfold_contraction_batch {
    size_t size;
    int64_t count;
    const tenfold_batch_input *inputs; ///< in the order of the expression
    int32_t input_count;
    tenfold_batch_input c; ///< not used if the plan's operands have no c, or if beta is 0
    tenfold_batch_output d;
} tenfold_contraction_batch;

/// Executes the plan for each contraction of a batch, small ones one per thread. No D may share
/// elements with another D or an input of any contraction, which is checked;
/// tenfold::contraction_plan::execute_batch() says more. `options` may be NULL. On failure nothing
/// was written, but for a stop, and *failed, which may be NULL, is the number of the contraction at
/// fault, or -1. Codes: those of tenfold_contraction_execute(), and TENFOLD_OVERFLOW.
tenfold_error tenfold_contraction_execute_batch(const tenfold_contraction_plan *plan,
                                                const tenfold_contraction_batch *batch,
                                                const tenfold_execute_options *options,
                                                int64_t *failed);

TENFOLD_END_C

#endif
