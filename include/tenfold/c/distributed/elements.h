// Elements of distributed tensors by lists of positions.
//
// Every rank passes a list of its own, which may be empty: `positions` has the indices of `count`
// elements, one after the other (as many for each as the tensor has modes), `values` the elements,
// of the tensor's type. Positions may repeat. Ranks exchange 8 bytes and a value for each element,
// and need memory for as much. Codes: TENFOLD_INVALID_ARGUMENT (a position outside the tensor, a
// negative count), OVERFLOW, OUT_OF_MEMORY, DISAGREEMENT.
#ifndef TENFOLD_C_DISTRIBUTED_ELEMENTS_H
#define TENFOLD_C_DISTRIBUTED_ELEMENTS_H

#include <tenfold/c/distributed/tensor.h>

TENFOLD_BEGIN_C

/// Collective. Reads elements into `values`.
tenfold_error tenfold_dist_read_elements(const tenfold_dist_tensor *tensor, int64_t count,
                                         const int64_t *positions, void *values);
/// Collective. Sets elements. One that occurs several times gets the last value of the highest rank
/// that writes it.
tenfold_error tenfold_dist_write_elements(tenfold_dist_tensor *tensor, int64_t count,
                                          const int64_t *positions, const void *values);
/// Collective. Adds to elements: first the values of rank 0 in the order of its list, then those of
/// rank 1, and so on.
tenfold_error tenfold_dist_add_elements(tenfold_dist_tensor *tensor, int64_t count,
                                        const int64_t *positions, const void *values);

TENFOLD_END_C

#endif
