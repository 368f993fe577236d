// Traces of how ranks spend their time, as intervals for a viewer and as sums.
#ifndef TENFOLD_C_DISTRIBUTED_TRACE_H
#define TENFOLD_C_DISTRIBUTED_TRACE_H

#include <tenfold/c/distributed/world.h>

TENFOLD_BEGIN_C

/// Records what the collective calls on a world do, from its creation to its destruction; see
/// tenfold::dist_trace.
typedef struct tenfold_dist_trace tenfold_dist_trace;

/// Collective. At most one trace per world at a time: TENFOLD_INVALID_ARGUMENT. *trace is NULL
/// unless TENFOLD_OK is returned.
tenfold_error tenfold_dist_trace_create(const tenfold_world *world, tenfold_dist_trace **trace);
/// Local. Ends the trace; NULL is ignored. The world may be destroyed before.
void tenfold_dist_trace_destroy(tenfold_dist_trace *trace);

/// Seconds of one rank. compute, pack, communication, idle and plan do not overlap; they add up to
/// `calls`, except for some bookkeeping.
typedef struct tenfold_trace_totals {
    size_t size;
    double calls;         ///< in collective calls
    double compute;       ///< products and sums of tensors
    double pack;          ///< copies into and out of messages and panels
    double communication; ///< in MPI while it moves bytes
    double idle;          ///< in MPI, waiting for other ranks
    double plan;          ///< plans and memory
    double under_way;     ///< while messages of this rank were in flight
    double exposed;       ///< the part of it spent in MPI
    double overlap;       ///< 1 - exposed / under_way, a share; 1 if there were no messages
} tenfold_trace_totals;

/// Local. The sums of this rank since the trace began, or since the last reset. Set totals->size
/// before.
tenfold_error tenfold_dist_trace_totals(const tenfold_dist_trace *trace,
                                        tenfold_trace_totals *totals);
/// Local. Sets the sums to 0 and keeps the intervals.
tenfold_error tenfold_dist_trace_reset(tenfold_dist_trace *trace);

/// Collective. Rank 0 writes one file for all ranks in Chrome's format (docs/distribution.md). May
/// be called more than once. TENFOLD_IO on all ranks.
tenfold_error tenfold_dist_trace_write(tenfold_dist_trace *trace, const char *file);

TENFOLD_END_C

#endif
