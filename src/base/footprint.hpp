// How much memory a value occupies, roughly, for caches that are bounded by it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <tenfold/tensor_view.hpp>

namespace tenfold::base {

/// Bytes that an allocator adds to one allocation, about.
inline constexpr std::size_t allocation_overhead = 16;

/// Bytes that a vector allocated for its elements, without what these allocated in turn.
template <class T> std::size_t allocated_by(const std::vector<T> &list) noexcept {
    return list.capacity() == 0 ? 0 : list.capacity() * sizeof(T) + allocation_overhead;
}

/// Short texts lie in the object itself.
inline std::size_t allocated_by(const std::string &text) noexcept {
    static const std::size_t inside = std::string().capacity();
    return text.capacity() <= inside ? 0 : text.capacity() + 1 + allocation_overhead;
}

inline std::size_t allocated_by(const layout &shape) noexcept {
    return allocated_by(shape.extents()) + allocated_by(shape.strides());
}

} // namespace tenfold::base
