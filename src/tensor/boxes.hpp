// Copies, scales and adds boxes of strided arrays.
#pragma once

#include <span>

#include <tenfold/tensor_view.hpp>

namespace tenfold::tensor_impl {

/// Strides are in elements and may have any sign; the two boxes do not overlap, or are the same.
/// No product is fused with an addition, so that every element is rounded alike, wherever it lies.
using numbers = std::span<const index_t>;

/// Copies: to = from over a box of `extents`. The others are for types of sums
/// (base/sum_types.hpp); integers are modulo 2^32.
template <class T> void copy_box(numbers extents, const T *from, numbers from_strides, T *to,
                                 numbers to_strides) noexcept;

/// Computes to = from + beta to; beta = 0 does not read `to`.
template <class T> void update_box(numbers extents, const T *from, numbers from_strides, T beta,
                                   T *to, numbers to_strides) noexcept;

/// Computes to = beta to; beta = 0 does not read `to`.
template <class T> void scale_box(numbers extents, T beta, T *to, numbers to_strides) noexcept;

/// Computes to = alpha from + beta to: the bits of scale_box(from), with alpha other than 0, and
/// update_box() after it.
template <class T> void combine_box(numbers extents, T alpha, const T *from, numbers from_strides,
                                    T beta, T *to, numbers to_strides) noexcept;

} // namespace tenfold::tensor_impl
