// The place of a box's elements in memory.
#pragma once

#include <utility>

#include <tenfold/dist_plan.hpp>
#include <tenfold/tensor_view.hpp>

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

template <class T> placement<T>::placement(T *array, const slice &block, extents_t array_strides)
    : data(array), shift(0), strides(std::move(array_strides)) {
    for (std::size_t k = 0; k < strides.size(); ++k)
        shift -= block.offsets[k] * strides[k];
}

template <class T> placement<T>::placement(T *array, const slice &block)
    : placement(array, block, layout(block.extents).strides()) {}

template <class T>
placement<T>::placement(T *array, const slice &block, const operand_labels &labels)
    : placement(array, block) {
    extents_t summed(labels.distinct.size(), 0);
    for (std::size_t k = 0; k < summed.size(); ++k)
        for (std::size_t mode = 0; mode < labels.modes.size(); ++mode)
            if (labels.modes[mode] == labels.distinct[k])
                summed[k] += strides[mode];
    strides = std::move(summed);
}

template <class T> T *placement<T>::at(const extents_t &position) const noexcept {
    index_t offset = shift;
    for (std::size_t k = 0; k < strides.size(); ++k)
        offset += position[k] * strides[k];
    return data + offset;
}

} // namespace tenfold::dist_impl
