// Types of elements, and precisions of the computation.
#ifndef TENFOLD_TAPP_DATATYPE_H
#define TENFOLD_TAPP_DATATYPE_H

#include "util.h"

/// The type of a tensor's elements. Complex numbers lie as in C: real part, imaginary part.
typedef int TAPP_datatype;

enum {
    TAPP_F32 = 0,
    TAPP_F64 = 1,
    TAPP_C32 = 2, ///< complex of F32
    TAPP_C64 = 3, ///< complex of F64
    TAPP_F16 = 4, ///< IEEE binary16
    TAPP_BF16 = 5,

    TAPP_FLOAT = TAPP_F32,
    TAPP_DOUBLE = TAPP_F64,
    TAPP_SCOMPLEX = TAPP_C32,
    TAPP_DCOMPLEX = TAPP_C64
};

/// The least precision of products and sums. They are computed in f64 if any tensor is F64 or C64
/// or the precision says so, else in f32; and are complex if any tensor is. F16 and BF16 are
/// multiplied exactly and summed in f32.
typedef int TAPP_prectype;

enum {
    TAPP_DEFAULT_PREC = -1, ///< that of the tensors
    TAPP_F32F32_ACCUM_F32 = TAPP_F32,
    TAPP_F64F64_ACCUM_F64 = TAPP_F64, ///< sums of F32 in f64, for instance
    TAPP_F16F16_ACCUM_F16 = TAPP_F16,
    TAPP_F16F16_ACCUM_F32 = 5,
    TAPP_BF16BF16_ACCUM_F32 = 6
};

#endif
