// The place of a box's elements in memory.
#pragma once

#include <tenfold/dist_plan.hpp>

#include "distributed/plan/labels.hpp"

namespace tenfold::dist_impl {

/// The element at position x is data[shift + sum(x_k stride_k)].
template <class T> struct placement {
    T *data;
    index_t shift;
    extents_t strides;

    /// A dense column-major array that holds `block`, one mode per label.
    placement(T *array, const slice &block);
    /// The same with labels: a repeated label runs along the diagonal of its modes.
    placement(T *array, const slice &block, const operand_labels &labels);
    /// Any strides; `array` points to the element at `block.offsets`.
    placement(T *array, const slice &block, extents_t array_strides);
    /// Sets the members directly.
    placement(T *array, index_t first, extents_t array_strides)
        : data(array), shift(first), strides(std::move(array_strides)) {}

    T *at(const extents_t &position) const noexcept;
};

} // namespace tenfold::dist_impl
