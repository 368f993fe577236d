// Operations on distributed tensors whose messages travel while the ranks do other things
// (docs/distribution.md, "In the background").
#ifndef TENFOLD_C_DISTRIBUTED_ASYNC_H
#define TENFOLD_C_DISTRIBUTED_ASYNC_H

#include <tenfold/c/distributed/contract.h>

TENFOLD_BEGIN_C

/// An operation under way. From the call that begins it until tenfold_dist_future_wait() has
/// returned, its tensors live, and so does what its options point to. Inputs may be read, also by
/// other calls, but are not written; collective calls that use an output return
/// TENFOLD_INVALID_ARGUMENT on all ranks. Ranks begin operations in one order, at most 256 at a
/// time, and may wait for copies and redistributions in any.
typedef struct tenfold_dist_future tenfold_dist_future;

/// Collective. Begins y = x, as tenfold_dist_copy() does it. *future is NULL unless TENFOLD_OK is
/// returned, and must be destroyed. Codes of tenfold_dist_copy().
tenfold_error tenfold_dist_copy_async(const tenfold_dist_tensor *x, tenfold_dist_tensor *y,
                                      tenfold_dist_future **future);
/// Collective. Begins what tenfold_dist_redistribute() does. *future likewise.
tenfold_error tenfold_dist_redistribute_async(const tenfold_dist_tensor *tensor,
                                              const tenfold_distribution *distribution,
                                              tenfold_dist_future **future);
/// Collective. Begins a contraction of one or two inputs: plans, finds the memory and brings the
/// inputs to where they are multiplied. *future and codes likewise, and those of
/// tenfold_dist_contract().
tenfold_error tenfold_dist_contract_async(const char *expression, const tenfold_dist_input *inputs,
                                          int32_t input_count, tenfold_dist_tensor *d,
                                          const tenfold_dist_options *options,
                                          tenfold_dist_future **future);

/// Local. Handles messages that have come. *through is 1 if the wait has no message to wait for.
tenfold_error tenfold_dist_future_test(tenfold_dist_future *future, int32_t *through);
/// Ends the operation. Local, but of contractions collective: it multiplies and does the rest.
/// Codes: TENFOLD_COMMUNICATION (a rank has left whose messages are missing), INVALID_ARGUMENT (it
/// was waited for before); of contractions STOPPED, and OUT_OF_MEMORY.
tenfold_error tenfold_dist_future_wait(tenfold_dist_future *future);
/// Local. The tensor that a redistribution made, once it was waited for. It is the caller's from
/// then on, and to be destroyed. *made is NULL unless TENFOLD_OK is returned.
/// TENFOLD_INVALID_ARGUMENT: there is none, or it was taken.
tenfold_error tenfold_dist_future_take(tenfold_dist_future *future, tenfold_dist_tensor **made);
/// Local. What a contraction did, once it was waited for: bytes from its beginning, seconds of the
/// wait. Set report->size before. TENFOLD_INVALID_ARGUMENT: there is none.
tenfold_error tenfold_dist_future_report(const tenfold_dist_future *future,
                                         tenfold_dist_report *report);
/// NULL is ignored. An operation that was not waited for is completed as far as messages of this
/// rank go; the output of a contraction stays as it was. Not collective.
void tenfold_dist_future_destroy(tenfold_dist_future *future);

TENFOLD_END_C

#endif
