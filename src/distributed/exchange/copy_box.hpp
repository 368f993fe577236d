// Copies boxes between strided arrays, for packing, unpacking and adding.
#pragma once

#include <tenfold/tensor_view.hpp>

namespace tenfold::dist_impl {

/// Copies: to = from over a box of `extents`. Strides are in elements and may have any sign; the
/// two boxes do not overlap.
template <class T> void copy_box(const extents_t &extents, const T *from,
                                 const extents_t &from_strides, T *to, const extents_t &to_strides);

/// Computes to = from + beta to; beta = 0 does not read `to`.
template <class T> void update_box(const extents_t &extents, const T *from,
                                   const extents_t &from_strides, T beta, T *to,
                                   const extents_t &to_strides);

/// Computes to = alpha from + beta to, with alpha other than 0; beta = 0 does not read `to`.
template <class T> void combine_box(const extents_t &extents, T alpha, const T *from,
                                    const extents_t &from_strides, T beta, T *to,
                                    const extents_t &to_strides);

/// Computes to = beta to; beta = 0 does not read `to`.
template <class T>
void scale_box(const extents_t &extents, T beta, T *to, const extents_t &to_strides);

/// Returns the strides of a dense column-major array.
extents_t dense_strides(const extents_t &extents);

} // namespace tenfold::dist_impl
