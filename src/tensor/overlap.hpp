// Whether tensors share memory, decided element by element: interleaved sub-tensors of one array do
// not overlap, although their address ranges do.
#pragma once

#include <tenfold/tensor_view.hpp>

namespace tenfold::tensor_impl {

/// True if two different positions of a tensor are the same element. O(order log order) for the
/// nested strides of sub-tensors; otherwise the search is bounded, and the answer is true if it is
/// cut off.
bool overlaps_itself(const extents_t &extents, const extents_t &strides);

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
