// Whether elements of tensors share memory, decided for the elements themselves: interleaved
// sub-tensors of one array do not overlap although their address ranges do.
#pragma once

#include <tenfold/tensor_view.hpp>

namespace tenfold::tensor_impl {

/// True if two different positions of a tensor are the same element. O(order log order) for the
/// nested strides of sub-tensors; otherwise a bounded search, and true where it is not enough.
bool overlaps_itself(const extents_t &extents, const extents_t &strides);

/// Where a tensor lies, for share_memory().
struct placement {
    const void *data;
    index_t element_size;
    const layout *shape;
};

/// True if an element of one shares a byte with an element of the other. O(1) when the address
/// ranges are disjoint. Exact, but for strides so unusual that the search exceeds its bound: then
/// true, the safe answer.
bool share_memory(const placement &one, const placement &other) noexcept;

} // namespace tenfold::tensor_impl
