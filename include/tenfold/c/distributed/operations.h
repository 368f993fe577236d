// Operations on distributed tensors beside contractions: copies and sums, slices, functions of
// elements, reductions, random numbers.
//
// All of them are collective and take tensors of one world, in any distributions. Outputs that are
// kept in copies have equal ones afterwards. "Position" means the indices of an element in the
// whole tensor, from 0. All functions may also return TENFOLD_OUT_OF_MEMORY, DISAGREEMENT, and
// INVALID_ARGUMENT for tensors of different worlds or copies that were written by hand. See
// docs/distribution.md.
#ifndef TENFOLD_C_DISTRIBUTED_OPERATIONS_H
#define TENFOLD_C_DISTRIBUTED_OPERATIONS_H

#include <tenfold/c/distributed/tensor.h>

TENFOLD_BEGIN_C

/// Collective. Y = X. A rank receives at most its block of Y. Codes: TENFOLD_TYPE_MISMATCH,
/// ORDER_MISMATCH, EXTENT_MISMATCH.
tenfold_error tenfold_dist_copy(const tenfold_dist_tensor *x, tenfold_dist_tensor *y);

/// A tensor with a factor. This struct keeps its form.
typedef struct tenfold_dist_term {
    tenfold_scalar factor;
    const tenfold_dist_tensor *tensor;
} tenfold_dist_term;

/// Collective. D = the sum of factor * tensor over all terms. D may be a term, too: its factor is
/// applied first, and the others are added in their order. Terms with factor 0 are not read;
/// without other terms D is 0. Factors are f32 for bf16 and f16, and i32 for integers; each sum of
/// bf16 and f16 is rounded once, integers are modulo what their type holds. Needs memory for one
/// more block of D if a term lies differently. Codes: TENFOLD_TYPE_MISMATCH (also a factor that is
/// none of these: an imaginary one of a real tensor, a fraction of one of integers),
/// ORDER_MISMATCH, EXTENT_MISMATCH.
tenfold_error tenfold_dist_combine(const tenfold_dist_term *terms, int32_t count,
                                   tenfold_dist_tensor *d);
/// Collective. Y = alpha X + Y. `alpha` NULL: 1. Codes of tenfold_dist_combine().
tenfold_error tenfold_dist_axpy(const tenfold_scalar *alpha, const tenfold_dist_tensor *x,
                                tenfold_dist_tensor *y);
/// Collective. X = factor X. Codes of tenfold_dist_combine().
tenfold_error tenfold_dist_scale(const tenfold_scalar *factor, tenfold_dist_tensor *x);

/// A box of positions. This struct keeps its form.
typedef struct tenfold_slice {
    int32_t order;          ///< number of modes
    const int64_t *offsets; ///< where it begins; NULL: zeros
    const int64_t *extents;
} tenfold_slice;

typedef struct tenfold_dist_transpose_options {
    size_t size;
    const tenfold_scalar *alpha; ///< NULL: 1
    /// NULL: 0, or 1 where the expression says "+=" or "-=", which takes no other beta.
    const tenfold_scalar *beta;
} tenfold_dist_transpose_options;

/// Collective. B[of_b] = alpha A[of_a], permuted by an expression as "ba=ab", + beta B[of_b]. NULL
/// for a slice is the whole tensor; slices are the same on all ranks. With beta 0 the slice of B is
/// not read, with alpha 0 A is not. A and B may be one tensor if the slices have no element in
/// common. A rank receives at most its part of B's slice. Codes: TENFOLD_SYNTAX, UNKNOWN_LABEL,
/// REPEATED_LABEL, TYPE_MISMATCH (two types; a factor, or a beta but 0, for bf16, f16, i8 and u8),
/// ORDER_MISMATCH, EXTENT_MISMATCH (slices that pass the end, or do not fit each other), OVERLAP.
tenfold_error tenfold_dist_transpose(const char *expression, const tenfold_dist_tensor *a,
                                     const tenfold_slice *of_a, tenfold_dist_tensor *b,
                                     const tenfold_slice *of_b,
                                     const tenfold_dist_transpose_options *options);

/// Writes the element of D at a position to `element`, which has D's type. inputs[i] is the address
/// of the element of input i there, of that tensor's type. Anything but 0 ends the call.
typedef int32_t (*tenfold_map_function)(const int64_t *position, const void *const *inputs,
                                        void *element, void *user);
/// Collective. D = function(position, inputs ..), element by element, from tensors of D's extents
/// and any types. D may be an input; then the addresses of both elements are the same. Each rank
/// calls the function on the calling thread for the elements that it owns, mode 0 fastest; of
/// several copies, ranks of the first one do. `user` may differ by rank. If the function returns
/// anything but 0 on one rank, all ranks return TENFOLD_INVALID_ARGUMENT; D is unspecified then.
/// Needs memory for one more block of D for each input that lies differently. Codes:
/// TENFOLD_ORDER_MISMATCH, EXTENT_MISMATCH.
tenfold_error tenfold_dist_map(tenfold_dist_tensor *d, const tenfold_dist_tensor *const *inputs,
                               int32_t input_count, tenfold_map_function function, void *user);

// Reductions. Every rank gets the same result, whose bits depend on the elements alone.
// tenfold_dist_norm() is the 2-norm.

/// Collective. Sum of all elements, rounded to their type; of integers modulo what it holds.
tenfold_error tenfold_dist_sum(const tenfold_dist_tensor *tensor, tenfold_scalar *sum);
/// Collective. Sum of |x|.
tenfold_error tenfold_dist_norm1(const tenfold_dist_tensor *tensor, double *norm);
/// Collective. The largest |x|; NaN if an element is NaN, 0 if there are none.
tenfold_error tenfold_dist_norm_max(const tenfold_dist_tensor *tensor, double *norm);
/// Collective. The least and the greatest element of a real tensor, and the position of the first
/// such element (one index for each mode; NULL: it is not wanted); a NaN if there is one. Codes:
/// TENFOLD_TYPE_MISMATCH for complex tensors, INVALID_ARGUMENT for tensors without elements.
tenfold_error tenfold_dist_minimum(const tenfold_dist_tensor *tensor, double *value,
                                   int64_t *position);
tenfold_error tenfold_dist_maximum(const tenfold_dist_tensor *tensor, double *value,
                                   int64_t *position);
/// Collective. The only element of a tensor of order 0, or with extents of 1.
/// TENFOLD_EXTENT_MISMATCH for others.
tenfold_error tenfold_dist_scalar(const tenfold_dist_tensor *tensor, tenfold_scalar *value);

/// Returns 0 for positions that do not count.
typedef int32_t (*tenfold_position_function)(const int64_t *position, void *user);
/// Which positions count. This struct keeps its form.
typedef struct tenfold_position_filter {
    tenfold_position_function function;
    void *user; ///< may differ by rank
} tenfold_position_filter;

/// Collective. The `most` largest elements by magnitude, the largest first; the first one in the
/// tensor of equal ones, and NaNs before numbers. *found is their number, which is less if the
/// tensor has fewer. `positions` gets the indices of one element after the other, `values` the
/// elements, of the tensor's type; both need room for `most`. `filter` NULL: all positions count;
/// all ranks pass one, or none does. A rank receives `most` elements of each rank, at most 2^24
/// together (TENFOLD_INVALID_ARGUMENT).
tenfold_error tenfold_dist_largest(const tenfold_dist_tensor *tensor, int64_t most,
                                   const tenfold_position_filter *filter, int64_t *positions,
                                   void *values, int64_t *found);

// Random numbers, by Philox4x32-10. An element is a function of the seed and of its place in the
// tensor: the same on any number of ranks, in any distribution. Both parts of complex numbers are
// random.

/// Collective. Uniform numbers of [low, high), in 2^53 steps, rounded to the tensor's type.
/// TENFOLD_TYPE_MISMATCH for tensors of integers, here and below.
tenfold_error tenfold_dist_fill_uniform(tenfold_dist_tensor *tensor, uint64_t seed, double low,
                                        double high);
/// Collective. Normal numbers.
tenfold_error tenfold_dist_fill_normal(tenfold_dist_tensor *tensor, uint64_t seed, double mean,
                                       double deviation);

TENFOLD_END_C

#endif
