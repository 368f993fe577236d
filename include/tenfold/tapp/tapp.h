// TAPP, the community's C interface for tensor products, served by Tenfold (docs/tapp.md):
//     D = op_D(alpha * op_A(A) * op_B(B) + beta * op_C(C))
// over labelled modes. Modes of A and B that D lacks are summed over.
#ifndef TENFOLD_TAPP_TAPP_H
#define TENFOLD_TAPP_TAPP_H

#include "tapp/attributes.h"
#include "tapp/datatype.h"
#include "tapp/error.h"
#include "tapp/executor.h"
#include "tapp/handle.h"
#include "tapp/product.h"
#include "tapp/status.h"
#include "tapp/tensor.h"
#include "tapp/util.h"

#endif
