// Copies boxes between strided arrays, for packing, unpacking and adding.
#pragma once

#include <tenfold/tensor_view.hpp>

namespace tenfold::dist_impl {

/// Copies: to = from over a box of `extents`, on up to `threads` threads. Strides are in elements
/// and may have any sign; the two boxes do not overlap. Large boxes are moved by transpositions.
template <class T> void copy_box(const extents_t &extents, const T *from,
                                 const extents_t &from_strides, T *to, const extents_t &to_strides,
                                 int threads = 1);

/// Computes to = from + beta to; beta = 0 does not read `to`. This and what follows is for types of
/// sums (base/sum_types.hpp); integers are modulo 2^32. Elements have the same bits on any number
/// of threads. Large boxes of real numbers are added, with factors of 1, by transpositions.
template <class T> void update_box(const extents_t &extents, const T *from,
                                   const extents_t &from_strides, T beta, T *to,
                                   const extents_t &to_strides, int threads = 1);

/// Computes to = alpha from + beta to, with alpha other than 0; beta = 0 does not read `to`.
template <class T> void combine_box(const extents_t &extents, T alpha, const T *from,
                                    const extents_t &from_strides, T beta, T *to,
                                    const extents_t &to_strides, int threads = 1);

/// Computes to = beta to; beta = 0 does not read `to`.
template <class T> void scale_box(const extents_t &extents, T beta, T *to,
                                  const extents_t &to_strides, int threads = 1);

/// A box in two arrays of the same strides: T's and that of the elements into which T is rounded.
template <class T> struct rounded_box {
    const extents_t &extents, &strides;
    const T *from; ///< null: zeros
    void *to;
    data_type type; ///< one that is shorter than T, complex where T is
};
/// Computes to = from + beta to in T, and rounds once; beta = 0 does not read `to`.
template <class T> void round_box(const rounded_box<T> &box, T beta);

/// Returns the strides of a dense column-major array.
extents_t dense_strides(const extents_t &extents);

} // namespace tenfold::dist_impl
