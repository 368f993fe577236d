// Distributed tensors: their creation, their elements, norms.
#ifndef TENFOLD_C_DISTRIBUTED_TENSOR_H
#define TENFOLD_C_DISTRIBUTED_TENSOR_H

#include <tenfold/c/distributed/distribution.h>
#include <tenfold/c/distributed/world.h>

TENFOLD_BEGIN_C

/// A tensor of any tenfold_type that is spread over the ranks of a world.
///
/// If its distribution has copies, every function that writes the tensor leaves them equal, and
/// every function that reads it takes each element from one of them. Only writes by hand can make
/// them differ; tenfold_dist_local_to_write() and tenfold_dist_refresh() stand around those.
typedef struct tenfold_dist_tensor tenfold_dist_tensor;

/// Collective. Initialised with zeros. `distribution` may be NULL: the default. *tensor is NULL
/// unless TENFOLD_OK is returned. Codes: TENFOLD_INVALID_ARGUMENT (a type that distributed tensors
/// do not have, a distribution for another number of ranks), EXTENT_MISMATCH (a distribution for
/// other extents), OVERFLOW, OUT_OF_MEMORY, DISAGREEMENT.
tenfold_error tenfold_dist_create(const tenfold_world *world, tenfold_type type, int32_t order,
                                  const int64_t *extents, const tenfold_distribution *distribution,
                                  tenfold_dist_tensor **tensor);
/// NULL is ignored. Not collective, but see tenfold_world_destroy().
void tenfold_dist_destroy(tenfold_dist_tensor *tensor);

/// This rank's part of a tensor.
typedef struct tenfold_dist_part {
    size_t size;
    tenfold_type type;
    int32_t order;
    const int64_t *tensor_extents; ///< of the whole tensor
    const int64_t *offsets;        ///< where this part begins
    const int64_t *extents;        ///< of this part; 0 where the rank owns nothing
    int64_t elements; ///< of this part; of order 0 this alone says whether there is one
    /// Dense, column-major; may be read, and written unless the tensor has several copies.
    void *data;
    /// Equal on all ranks, and no other tensor of the world has it; see
    /// tenfold::dist_tensor::number().
    uint64_t number;
} tenfold_dist_part;

/// Set part->size before. Arrays and data live as long as the tensor.
tenfold_error tenfold_dist_local(const tenfold_dist_tensor *tensor, tenfold_dist_part *part);
/// The same of a tensor whose data is to be written by hand. If it has several copies, functions
/// that read it return TENFOLD_INVALID_ARGUMENT on all ranks from now on, until
/// tenfold_dist_refresh() or a call that writes every element follows; after that, this data must
/// not be written any longer. With one copy it does what tenfold_dist_local() does.
tenfold_error tenfold_dist_local_to_write(tenfold_dist_tensor *tensor, tenfold_dist_part *part);
/// Collective. Makes all copies equal to the first one, after the ranks of that one wrote it by
/// hand (tenfold_distribution_cell() tells them); what was written to others is lost. A rank
/// receives at most its block. Moves nothing if there is one copy.
tenfold_error tenfold_dist_refresh(tenfold_dist_tensor *tensor);
/// The tensor's world, as a handle of its own, to be destroyed by the caller. *world is NULL unless
/// TENFOLD_OK is returned.
tenfold_error tenfold_dist_world(const tenfold_dist_tensor *tensor, tenfold_world **world);
/// A copy of the tensor's distribution, to be destroyed by the caller.
tenfold_error tenfold_dist_distribution(const tenfold_dist_tensor *tensor,
                                        tenfold_distribution **distribution);

/// Collective. Sets all elements, rounded to their type. TENFOLD_TYPE_MISMATCH: an imaginary part
/// for a real tensor; a fraction, or an integer that its type does not hold, for one of integers.
tenfold_error tenfold_dist_fill(tenfold_dist_tensor *tensor, const tenfold_scalar *value);
/// Writes the element at a position of the whole tensor (one index per mode, from 0) to `element`,
/// which has the tensor's type. Anything but 0 ends the filling.
typedef int32_t (*tenfold_element_function)(const int64_t *position, void *element, void *user);
/// Collective. Each rank calls `function` for the elements that it owns, mode 0 fastest; of several
/// copies, ranks of the first one do, and the others receive them. `user` may differ by rank. If
/// the function returns anything but 0 on one rank, all ranks return TENFOLD_INVALID_ARGUMENT; some
/// elements are written then.
tenfold_error tenfold_dist_fill_by(tenfold_dist_tensor *tensor, tenfold_element_function function,
                                   void *user);

/// Collective. Reads a slice, which each rank chooses for itself, into an array of any strides,
/// which `to` and `data` describe: `to` has the tensor's type and order and the slice's extents. A
/// rank whose `to` is NULL reads nothing; `offsets` NULL means zeros. Codes: TENFOLD_TYPE_MISMATCH,
/// ORDER_MISMATCH, EXTENT_MISMATCH (the slice passes the end), NULL_POINTER, OVERLAP (the array
/// overlaps itself), INVALID_ARGUMENT, OUT_OF_MEMORY, DISAGREEMENT.
tenfold_error tenfold_dist_read(const tenfold_dist_tensor *tensor, const int64_t *offsets,
                                const tenfold_tensor *to, void *data);
/// Collective. Writes a slice likewise. TENFOLD_OVERLAP: two ranks write one element.
tenfold_error tenfold_dist_write(tenfold_dist_tensor *tensor, const int64_t *offsets,
                                 const tenfold_tensor *from, const void *data);
/// Collective. Reads the whole tensor on rank `root`; other ranks' `to` and `data` are not used.
/// Codes of tenfold_dist_read(), and INVALID_ARGUMENT for a root out of range.
tenfold_error tenfold_dist_gather(const tenfold_dist_tensor *tensor, int32_t root,
                                  const tenfold_tensor *to, void *data);
/// Collective. Sets the whole tensor from an array on rank `root`; other ranks' are not used.
tenfold_error tenfold_dist_scatter(tenfold_dist_tensor *tensor, int32_t root,
                                   const tenfold_tensor *from, const void *data);

/// Collective. The same tensor in another distribution, as a new tensor. *made is NULL unless
/// TENFOLD_OK is returned. Codes of tenfold_dist_create().
tenfold_error tenfold_dist_redistribute(const tenfold_dist_tensor *tensor,
                                        const tenfold_distribution *distribution,
                                        tenfold_dist_tensor **made);

/// Collective. Square root of the sum of |x|^2; the same bits on every rank, for any number of
/// ranks and any distribution.
tenfold_error tenfold_dist_norm(const tenfold_dist_tensor *tensor, double *norm);
/// Collective. Sum of conj(a) b, computed likewise; of integers modulo what their type holds.
/// Codes: TENFOLD_TYPE_MISMATCH, EXTENT_MISMATCH, INVALID_ARGUMENT (different worlds).
tenfold_error tenfold_dist_dot(const tenfold_dist_tensor *a, const tenfold_dist_tensor *b,
                               tenfold_scalar *dot);

TENFOLD_END_C

#endif
