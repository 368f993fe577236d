// Handles: what products are planned with.
#ifndef TENFOLD_TAPP_HANDLE_H
#define TENFOLD_TAPP_HANDLE_H

#include <stdint.h>

#include "error.h"
#include "util.h"

/// A context: settings, machine, a pool of workspace. Those of a new handle are the process's, from
/// the environment; attributes give it a context of its own. Products keep what they need of it.
typedef intptr_t TAPP_handle;

TAPP_EXPORT TAPP_error TAPP_create_handle(TAPP_handle *handle);

/// 0 is ignored, here and by all functions that destroy.
TAPP_EXPORT TAPP_error TAPP_destroy_handle(TAPP_handle handle);

#endif
