// Tensor products.
#ifndef TENFOLD_TAPP_PRODUCT_H
#define TENFOLD_TAPP_PRODUCT_H

#include <stdint.h>

#include "datatype.h"
#include "error.h"
#include "executor.h"
#include "handle.h"
#include "status.h"
#include "tensor.h"
#include "util.h"

/// What is done with each element. It has no effect on real numbers.
typedef int TAPP_element_op;

enum { TAPP_IDENTITY = 0, TAPP_CONJUGATE = 1 };

/// In place of C's address: C is D. (Null is not read and refused unless beta is 0.)
#ifdef __cplusplus
#define TAPP_IN_PLACE (reinterpret_cast<void *>(static_cast<intptr_t>(-1)))
#else
#define TAPP_IN_PLACE ((void *)(intptr_t)-1)
#endif

/// A plan. It is decided once, executed many times, and holds no addresses. Several threads may
/// execute it at the same time.
typedef intptr_t TAPP_tensor_product;

/// Plans D = op_D(alpha op_A(A) op_B(B) + beta op_C(C)). idx_X numbers the labels of X's modes, one
/// for each mode; the numbers are arbitrary.
///   - A label of A or B that D lacks is summed over; one of A, B and D is a batch.
///   - A label twice in a tensor is the diagonal; of D only the diagonal is written.
///   - Each label of D is one of A or B. Modes of one label have one extent.
///   - C has D's labels and extents, mode by mode. Its strides and its type may differ.
///   - D has no element twice. A mode of extent 1 may have any stride.
///   - Types may be mixed. D is complex if A, B or C is.
/// If it fails, the code is returned, and an execution of the product returns it again; there is
/// nothing to destroy then.
TAPP_EXPORT TAPP_error TAPP_create_tensor_product(
    TAPP_tensor_product *plan, TAPP_handle handle, TAPP_element_op op_A, TAPP_tensor_info A,
    const int64_t *idx_A, TAPP_element_op op_B, TAPP_tensor_info B, const int64_t *idx_B,
    TAPP_element_op op_C, TAPP_tensor_info C, const int64_t *idx_C, TAPP_element_op op_D,
    TAPP_tensor_info D, const int64_t *idx_D, TAPP_prectype prec);

TAPP_EXPORT TAPP_error TAPP_destroy_tensor_product(TAPP_tensor_product plan);

/// alpha and beta are of D's type. alpha = 0: A and B are not read and may be null. beta = 0: C is
/// not read and may be null. C may be D exactly, otherwise D shares no element with A, B or C.
/// `exec` may be 0 and `status` null. If it fails, nothing was written.
TAPP_EXPORT TAPP_error TAPP_execute_product(TAPP_tensor_product plan, TAPP_executor exec,
                                            TAPP_status *status, const void *alpha, const void *A,
                                            const void *B, const void *beta, const void *C,
                                            void *D);

/// The same for num_batches products of one form: the tensors of entry i are at A[i], B[i], C[i]
/// and D[i]. What holds for an address above holds for each entry. The array C may be null if beta
/// is 0, and TAPP_IN_PLACE if C is D in all entries; the arrays A and B may be null if alpha is 0.
/// D of one entry shares no element with the tensors of another one, which is checked as overlap
/// within an entry is. If it fails, nothing was written, and the status names the entry at fault.
TAPP_EXPORT TAPP_error TAPP_execute_batched_product(TAPP_tensor_product plan, TAPP_executor exec,
                                                    TAPP_status *status, int num_batches,
                                                    const void *alpha, const void **A,
                                                    const void **B, const void *beta,
                                                    const void **C, void **D);

#endif
