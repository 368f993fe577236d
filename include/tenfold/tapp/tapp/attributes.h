// Attributes of handles, executors and statuses.
#ifndef TENFOLD_TAPP_ATTRIBUTES_H
#define TENFOLD_TAPP_ATTRIBUTES_H

#include <stdint.h>

#include "error.h"
#include "util.h"

/// A handle, an executor or a status.
typedef intptr_t TAPP_attr;
/// <tapp/tenfold.h> lists the keys.
typedef int TAPP_key;

/// `value` is the value itself, not its address: (void *)(intptr_t)4 for the number 4.
TAPP_EXPORT TAPP_error TAPP_attr_set(TAPP_attr attr, TAPP_key key, void *value);

/// Writes what was set. Of what was not, the code is TENFOLD_TAPP_NOT_SET.
TAPP_EXPORT TAPP_error TAPP_attr_get(TAPP_attr attr, TAPP_key key, void **value);

/// As if it had never been set.
TAPP_EXPORT TAPP_error TAPP_attr_clear(TAPP_attr attr, TAPP_key key);

#endif
