// What an execution says about itself.
#ifndef TENFOLD_TAPP_STATUS_H
#define TENFOLD_TAPP_STATUS_H

#include <stdint.h>

#include "error.h"
#include "util.h"

/// Its attributes are the code and the entry of the batch that failed (<tapp/tenfold.h>). It takes
/// no memory: nothing is lost if it is not destroyed.
typedef intptr_t TAPP_status;

TAPP_EXPORT TAPP_error TAPP_destroy_status(TAPP_status status);

#endif
