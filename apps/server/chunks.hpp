// Arrays in files and messages, cut into boxes whose elements follow one another there.
#pragma once

#include <vector>

#include <tenfold/dist_plan.hpp>

namespace tenfold::server {

/// Which mode is the slowest in a dense array.
enum class memory_order { c, fortran };

/// The extents of a box of at most `most` elements (at least 1) that follow one another in an array
/// of these extents, none of which is 0: as many as fit of the fastest modes.
extents_t largest_chunk(extents_t extents, memory_order order, index_t most);

/// Boxes of at most `most` elements (at least 1) that cover the array one after the other. None if
/// there is no element; one, of order 0, for a scalar.
std::vector<slice> chunks_of(const extents_t &extents, memory_order order, index_t most);

/// What is in both of two boxes of one tensor, or nothing.
slice overlap_of(const slice &a, const slice &b);

/// Of a dense array of these extents.
layout dense(extents_t extents, memory_order order);

} // namespace tenfold::server
