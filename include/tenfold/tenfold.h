// Tenfold's C interface for one node. C99; any thread may call any function. docs/c-interface.md
// introduces it, also to other languages. tenfold_dist.h is the interface to distributed tensors.
//
// Functions return a code, TENFOLD_OK or what went wrong; then tenfold_last_error() says more. They
// neither print nor exit, and no C++ exception leaves them. NULL where a handle, a description or a
// place for a result is needed gives TENFOLD_INVALID_ARGUMENT.
//
// Structs of options begin with their size, so that they can grow: TENFOLD_INIT sets it, and zeroes
// the other members. 0 or NULL leaves a choice to Tenfold, to the context or to the environment.
// NULL instead of options means the same for all members.
#ifndef TENFOLD_TENFOLD_H
#define TENFOLD_TENFOLD_H

#include <tenfold/c/calibrate.h>
#include <tenfold/c/context.h>
#include <tenfold/c/contract.h>
#include <tenfold/c/contract_batch.h>
#include <tenfold/c/contraction_epilogue.h>
#include <tenfold/c/control.h>
#include <tenfold/c/epilogue.h>
#include <tenfold/c/error.h>
#include <tenfold/c/gemm.h>
#include <tenfold/c/transpose.h>
#include <tenfold/c/types.h>

TENFOLD_BEGIN_C

/// The version of the library, "0.1.0". Never NULL; lives as long as the process.
const char *tenfold_version(void);

TENFOLD_END_C

#endif
