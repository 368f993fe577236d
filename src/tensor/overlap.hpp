// Whether tensors share memory, decided element by element: interleaved sub-tensors of one array do
// not overlap, although their address ranges do.
#pragma once

#include <cstdint>

#include <tenfold/tensor_view.hpp>

namespace tenfold::tensor_impl {

/// True if two different positions of a tensor are the same element. O(order log order) for the
/// nested strides of sub-tensors; otherwise the search is bounded, and the answer is true if it is
/// cut off.
bool overlaps_itself(const extents_t &extents, const extents_t &strides);

/// Byte positions, and products of these and extents: plans may have layouts that exceed any
/// memory.
__extension__ using wide = __int128;

/// The bytes that a tensor's elements span, counted from its data pointer.
struct byte_range {
    wide begin = 0, end = 0; ///< equal if it has no element
};

byte_range bytes_of(const layout &shape, index_t element_size) noexcept;

/// True if no byte lies in both ranges. Then tensors share no memory, and there is no need for
/// share_memory().
inline bool are_apart(const void *one, const byte_range &of_one, const void *other,
                      const byte_range &of_other) noexcept {
    const wide distance =
        wide{reinterpret_cast<std::intptr_t>(other)} - wide{reinterpret_cast<std::intptr_t>(one)};
    return of_one.end <= distance + of_other.begin || distance + of_other.end <= of_one.begin ||
           of_one.begin == of_one.end || of_other.begin == of_other.end;
}

/// The memory of a tensor, for share_memory().
struct placement {
    const void *data;
    index_t element_size;
    const layout *shape;
};

/// True if an element of one shares a byte with an element of the other. O(1) if the address ranges
/// are disjoint. Exact, unless strides are so unusual that the bounded search is cut off; then
/// true, which is safe.
bool share_memory(const placement &one, const placement &other) noexcept;

} // namespace tenfold::tensor_impl
