// The place of a box's elements in memory.
#pragma once

#include <cstddef>
#include <utility>

#include <tenfold/dist_plan.hpp>
#include <tenfold/tensor_view.hpp>

#include "distributed/plan/labels.hpp"

namespace tenfold::dist_impl {

/// The element at position x lies shift + sum(x_k stride_k) elements behind the first of an array.
struct element_places {
    index_t shift = 0;
    extents_t strides;

    element_places() = default;
    /// A dense column-major array that holds `block`, one mode per label.
    explicit element_places(const slice &block)
        : element_places(block, layout(block.extents).strides()) {}
    /// The same with labels: a repeated label runs along the diagonal of its modes.
    element_places(const slice &block, const operand_labels &labels);
    /// Any strides; the array begins with the element at `block.offsets`.
    element_places(const slice &block, extents_t array_strides);
    /// Sets the members directly.
    element_places(index_t first, extents_t array_strides)
        : shift(first), strides(std::move(array_strides)) {}

    index_t offset_of(const extents_t &position) const noexcept {
        index_t offset = shift;
        for (std::size_t k = 0; k < strides.size(); ++k)
            offset += position[k] * strides[k];
        return offset;
    }
};

inline element_places::element_places(const slice &block, extents_t array_strides)
    : strides(std::move(array_strides)) {
    for (std::size_t k = 0; k < strides.size(); ++k)
        shift -= block.offsets[k] * strides[k];
}

inline element_places::element_places(const slice &block, const operand_labels &labels)
    : element_places(block) {
    extents_t summed(labels.distinct.size(), 0);
    for (std::size_t k = 0; k < summed.size(); ++k)
        for (std::size_t mode = 0; mode < labels.modes.size(); ++mode)
            if (labels.modes[mode] == labels.distinct[k])
                summed[k] += strides[mode];
    strides = std::move(summed);
}

/// Elements of T in an array.
template <class T> struct placement : element_places {
    T *data;

    /// As element_places is made.
    template <class... Places>
    requires(sizeof...(Places) > 0) placement(T *array, Places &&...places)
        : element_places(std::forward<Places>(places)...), data(array) {}

    T *at(const extents_t &position) const noexcept { return data + offset_of(position); }
};

/// Elements of a type that is known at run time only.
struct untyped_placement : element_places {
    const void *data = nullptr;
    index_t element = 0; ///< bytes

    const void *at(const extents_t &position) const noexcept {
        return static_cast<const std::byte *>(data) + offset_of(position) * element;
    }
};

} // namespace tenfold::dist_impl
