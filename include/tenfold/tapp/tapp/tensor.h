// How a tensor lies.
#ifndef TENFOLD_TAPP_TENSOR_H
#define TENFOLD_TAPP_TENSOR_H

#include <stdint.h>

#include "datatype.h"
#include "error.h"
#include "util.h"

/// Type, number of modes, extents, and strides in elements, which may have any sign. Products copy
/// what they need: later changes do not reach them.
typedef intptr_t TAPP_tensor_info;

/// `extents` and `strides` have nmode numbers and may be null if nmode is 0. Null strides: dense,
/// the first mode has stride 1.
TAPP_EXPORT TAPP_error TAPP_create_tensor_info(TAPP_tensor_info *info, TAPP_datatype type,
                                               int nmode, const int64_t *extents,
                                               const int64_t *strides);

TAPP_EXPORT TAPP_error TAPP_destroy_tensor_info(TAPP_tensor_info info);

/// -1 if `info` is none.
TAPP_EXPORT int TAPP_get_nmodes(TAPP_tensor_info info);

/// New modes come last, with extent 1 and stride 0.
TAPP_EXPORT TAPP_error TAPP_set_nmodes(TAPP_tensor_info info, int nmodes);

/// Writes nothing if `info` is none.
TAPP_EXPORT void TAPP_get_extents(TAPP_tensor_info info, int64_t *extents);

/// As many as there are modes. Strides stay as they are.
TAPP_EXPORT TAPP_error TAPP_set_extents(TAPP_tensor_info info, const int64_t *extents);

/// Writes nothing if `info` is none.
TAPP_EXPORT void TAPP_get_strides(TAPP_tensor_info info, int64_t *strides);

TAPP_EXPORT TAPP_error TAPP_set_strides(TAPP_tensor_info info, const int64_t *strides);

#endif
