// Copies of boxes between strided arrays: packing, unpacking, adding up.
#pragma once

#include <tenfold/tensor_view.hpp>

namespace tenfold::dist_impl {

/// to = from over a box of `extents`; strides in elements, any signs; the two do not overlap.
template <class T> void copy_box(const extents_t &extents, const T *from,
                                 const extents_t &from_strides, T *to, const extents_t &to_strides);

/// to = from + beta to; beta = 0 does not read `to`.
template <class T> void update_box(const extents_t &extents, const T *from,
                                   const extents_t &from_strides, T beta, T *to,
                                   const extents_t &to_strides);

/// to = beta to; beta = 0 does not read `to`.
template <class T>
void scale_box(const extents_t &extents, T beta, T *to, const extents_t &to_strides);

/// Strides of a dense column-major array.
extents_t dense_strides(const extents_t &extents);

} // namespace tenfold::dist_impl
