// Tenfold's C interface for tensors across MPI ranks. C99; in libtenfold_dist. What tenfold.h says
// of codes, NULL, options and texts holds here, too. docs/c-interface.md introduces it,
// docs/distribution.md says how tensors are distributed.
//
// All ranks of the world must call every function marked "collective", in the same order and with
// the same arguments unless it says otherwise. If ranks pass different arguments, or if one of them
// fails, be it for a NULL or an option out of range, then all ranks return the same code, with the
// same message, before anything is written. No rank waits for one that failed. Only a rank whose
// world is NULL cannot tell the others, and neither can one that does not call at all; the watchdog
// (TENFOLD_WATCHDOG) finds those. On the rank that failed, and on all if all failed alike, the last
// error has its fields; on others it has the code and the message, which names the rank.
//
// One thread at a time may make collective calls on a world; those of a second one return
// TENFOLD_INVALID_ARGUMENT. After MPI_Finalize they return TENFOLD_COMMUNICATION.
//
// Once data moves, an error of MPI ends the program through the fatal function.
#ifndef TENFOLD_TENFOLD_DIST_H
#define TENFOLD_TENFOLD_DIST_H

#include <tenfold/c/distributed/async.h>
#include <tenfold/c/distributed/contract.h>
#include <tenfold/c/distributed/distribution.h>
#include <tenfold/c/distributed/elements.h>
#include <tenfold/c/distributed/files.h>
#include <tenfold/c/distributed/gather.h>
#include <tenfold/c/distributed/interchange.h>
#include <tenfold/c/distributed/layouts.h>
#include <tenfold/c/distributed/operations.h>
#include <tenfold/c/distributed/pairs.h>
#include <tenfold/c/distributed/plan.h>
#include <tenfold/c/distributed/program.h>
#include <tenfold/c/distributed/split.h>
#include <tenfold/c/distributed/tasks.h>
#include <tenfold/c/distributed/tensor.h>
#include <tenfold/c/distributed/trace.h>
#include <tenfold/c/distributed/world.h>
#include <tenfold/tenfold.h>

#endif
