#include "distributed/plan/placement.hpp"

#include <utility>

#include <tenfold/tensor_view.hpp>

namespace tenfold::dist_impl {

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

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template struct placement<T>;                                                                  \
    template struct placement<const T>;
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)

} // namespace tenfold::dist_impl
