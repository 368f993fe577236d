// Reduces a permutation and two layouts to as few and as long loops as possible.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <tenfold/tensor_view.hpp>

namespace tenfold::transpose_impl {

/// What is transposed: mode k of B is mode permutation[k] of A.
struct transposed_tensors {
    std::span<const int> permutation;
    data_type type_a;
    const layout &a;
    data_type type_b;
    const layout &b;
    bool conjugate = false;
};

/// One loop of the transposition: a mode, or several that are adjacent in A and in B.
struct mode {
    index_t extent;
    index_t stride_a;         ///< in elements; any sign
    index_t stride_b;         ///< in elements; positive after reduce(), negative only if mirrored
    std::vector<int> members; ///< modes of B, fastest first
};

struct reduced_problem {
    std::vector<mode> modes; ///< by stride_b, smallest first; extents above 1
    index_t offset_a = 0;    ///< elements from the data pointer to the first element
    index_t offset_b = 0;
    bool empty = false;       ///< nothing to do
    bool same_places = false; ///< every element keeps its position
};

/// Drops extents of 1, reverses modes of negative stride in B, and fuses modes with stride(outer)
/// == stride(inner) * extent(inner) in both tensors. Mode k of B is mode permutation[k] of A. The
/// layouts must have passed check(). O(order^2).
reduced_problem reduce(std::span<const int> permutation, const layout &a, const layout &b);

/// Reverses a mode.
void mirror(mode &which, reduced_problem &problem) noexcept;

/// Fuses two neighbours into one element if the fastest mode is a pair that is contiguous in A and
/// in B, and there are other modes. Otherwise returns false and changes nothing.
bool pair_up(reduced_problem &problem);

/// Throws unless the permutation is valid and extents agree: errc::order_mismatch,
/// errc::invalid_argument, errc::extent_mismatch, errc::overlap.
void check(std::span<const int> permutation, const layout &a, const layout &b);

} // namespace tenfold::transpose_impl
