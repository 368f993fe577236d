// Progress reports of a call, and its early end.
#ifndef TENFOLD_C_CONTROL_H
#define TENFOLD_C_CONTROL_H

#include <tenfold/c/context.h>

TENFOLD_BEGIN_C

/// A request to stop, which any thread makes and any number of calls obey.
typedef struct tenfold_stop tenfold_stop;

tenfold_error tenfold_stop_create(tenfold_stop **stop);
/// NULL is ignored. No call may use it any longer.
void tenfold_stop_destroy(tenfold_stop *stop);
/// Once it is requested, calls with this stop end with TENFOLD_STOPPED, those under way within
/// milliseconds. There is no way back.
tenfold_error tenfold_stop_request(tenfold_stop *stop);

/// Is called with the share of the work that is done, from 0 to 1, by the thread that made the
/// call. Anything but 0 stops the call, unless all is done.
typedef int32_t (*tenfold_progress_function)(double done, void *user);

/// Controls a call that may take long. After a stop the call returns TENFOLD_STOPPED, and the
/// elements of the output are unspecified; one that was requested before the call leaves them as
/// they were. tenfold::execution_control says more.
typedef struct tenfold_control {
    size_t size;
    tenfold_progress_function progress; ///< may be NULL
    void *user;                         ///< is passed to `progress`
    const tenfold_stop *stop;           ///< may be NULL
    int64_t interval_milliseconds;      ///< `progress` is called at most so often; 0: every 100 ms
} tenfold_control;

/// What one execution of a contraction took; see tenfold::execution_record. All is 0 if it failed.
typedef struct tenfold_execution_record {
    size_t size;
    double seconds; ///< elapsed, checks included
    double flops;   ///< 0 if nothing was multiplied
    double bytes;   ///< of the tensors that were read, and of D; each once
    int64_t workspace_bytes;
    int32_t threads; ///< the most that worked at a time
    tenfold_algorithm algorithm;
} tenfold_execution_record;

/// What an execution takes beside the data.
typedef struct tenfold_execute_options {
    size_t size;
    const tenfold_scalar *alpha; ///< NULL: 1
    /// NULL: 0, or in one-shot calls 1 if the expression says "+=" or "-=". If it is 0, C is not
    /// read.
    const tenfold_scalar *beta;
    /// Memory that the execution of a contraction plan may use, if it holds
    /// tenfold_contraction_workspace_size() bytes from its first address that is a multiple of 64.
    /// Otherwise, and if it is NULL, the context's pool is used. Others ignore it.
    void *workspace;
    size_t workspace_bytes;
    const tenfold_control *control; ///< NULL: none
    /// For each step of a contraction plan's epilogue the address of its tensor, or what its
    /// function is given as `user`; NULL of other steps. Calls that plan and execute take it from
    /// the epilogue itself.
    const void *const *epilogue_data;
    int32_t epilogue_count;
    /// What follows is of contractions; others refuse it with TENFOLD_UNSUPPORTED. Is filled, if
    /// its size is set.
    tenfold_execution_record *record; ///< NULL: nobody asks
    /// Bounds on the execution of a plan, as those of tenfold::executor; contractions in one call
    /// take them from their options. At most so many threads; 0: those of `context`, or the plan's.
    int32_t threads;
    /// Bytes that the plan's workspace may have, or the execution is refused with
    /// TENFOLD_WORKSPACE_TOO_SMALL; 0: the limit of `context`, or any; TENFOLD_NO_BYTES: none.
    int64_t workspace_limit;
    /// Whose pool, number of threads and workspace limit serve the execution; NULL: the plan's.
    const tenfold_context *context;
} tenfold_execute_options;

TENFOLD_END_C

#endif
