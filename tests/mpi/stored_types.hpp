// Elements of all types as tests make and read them.
#pragma once

#include <tenfold/dist_mixed.hpp>

#include "base/scalar_of.hpp"
#include "mpi/ranks.hpp"

namespace tenfold::testing {

/// A small integer by position, as T holds it; of u8, not negative.
template <class T> T stored_at(std::span<const index_t> position, int salt) {
    if constexpr (element_traits<T>::is_complex) {
        return value_at<T>(position, salt);
    } else {
        const auto small = value_at<float>(position, salt);
        return static_cast<T>(std::is_same_v<T, std::uint8_t> ? small + 4 : small);
    }
}

template <class T> void fill_stored(dist_tensor<T> &tensor, int salt) {
    tensor.fill([salt](const extents_t &offsets, tensor_view<T> block) {
        T *next = block.data();
        for_each_position(offsets, block.shape().extents(), [&](const extents_t &position) {
            *next++ = stored_at<T>(position, salt);
        });
    });
}

/// The element's value in W, double or c64.
template <class W, class T> W widened(T value) {
    if constexpr (element_traits<W>::is_complex)
        return base::scalar_of(value);
    else
        return base::real_value(value);
}

/// The whole tensor's values in W.
template <class T, class W> tensor<W> stored_values(const extents_t &extents, int salt) {
    tensor<W> result(extents);
    W *next = result.data();
    for_each_position(extents_t(extents.size(), 0), extents, [&](const extents_t &position) {
        *next++ = widened<W>(stored_at<T>(position, salt));
    });
    return result;
}

/// Whether the tensor has these values: in its blocks on every rank, and gathered.
template <class T, class W>
bool has_stored(const dist_tensor<T> &tensor, const tenfold::tensor<W> &whole) {
    const tenfold::tensor<T> all = tensor.gather_all();
    bool same = all.shape() == whole.shape();
    for (index_t i = 0; same && i < whole.size(); ++i)
        same = base::scalar_of(all.data()[i]) == base::scalar_of(whole.data()[i]);
    const slice &block = tensor.local_slice();
    if (block.empty())
        return same;
    const T *next = tensor.data();
    for_each_position(block.offsets, block.extents, [&](const extents_t &position) {
        same = same && base::scalar_of(*next++) ==
                           base::scalar_of(whole.data()[whole.shape().offset_of(position)]);
    });
    return same;
}

} // namespace tenfold::testing
