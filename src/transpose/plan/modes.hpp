// A permutation and two layouts, reduced to what has to be done: as few and as long loops as
// possible.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <tenfold/tensor_view.hpp>

namespace tenfold::transpose_impl {

/// One loop of the transposition: a mode, or several that are adjacent in A and in B.
struct mode {
    index_t extent;
    index_t stride_a;         ///< elements; any sign
    index_t stride_b;         ///< elements; positive after reduce(), negative only once mirrored
    std::vector<int> members; ///< modes of B, fastest first
};

struct reduced_problem {
    std::vector<mode> modes; ///< by stride_b, smallest first; extents above 1
    index_t offset_a = 0;    ///< where the first element lies, in elements from the data pointer
    index_t offset_b = 0;
    bool empty = false;       ///< nothing to do
    bool same_places = false; ///< every element keeps its position
};

/// Drops extents of 1, walks modes of negative stride in B backwards, and fuses modes where
/// stride(outer) == stride(inner) * extent(inner) in both tensors. Mode k of B is mode
/// permutation[k] of A. The layouts must have passed check(). O(order^2).
reduced_problem reduce(std::span<const int> permutation, const layout &a, const layout &b);

/// Walks a mode the other way round.
void mirror(mode &which, reduced_problem &problem) noexcept;

/// Makes one element of two neighbours where the fastest mode is a pair that keeps its place in A
/// and in B, and there is more to move than pairs; false, and nothing done, elsewhere.
bool pair_up(reduced_problem &problem);

/// Throws unless the permutation is one and extents agree: errc::order_mismatch,
/// errc::invalid_argument, errc::extent_mismatch, errc::overlap.
void check(std::span<const int> permutation, const layout &a, const layout &b);

} // namespace tenfold::transpose_impl
