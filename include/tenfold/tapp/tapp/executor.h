// Executors: with what products are computed.
#ifndef TENFOLD_TAPP_EXECUTOR_H
#define TENFOLD_TAPP_EXECUTOR_H

#include <stdint.h>

#include "error.h"
#include "util.h"

/// Threads, workspace limit, tuning and so on (<tapp/tenfold.h>). A new one leaves all of them to
/// the handle of the product, and so does 0 in its place. Several threads may use one at the same
/// time, while nobody changes its attributes.
typedef intptr_t TAPP_executor;

TAPP_EXPORT TAPP_error TAPP_create_executor(TAPP_executor *exec);

TAPP_EXPORT TAPP_error TAPP_destroy_executor(TAPP_executor exec);

#endif
