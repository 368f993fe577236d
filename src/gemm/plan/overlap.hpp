// Tests whether matrices share elements. (Module tensor has the same test for tensors of any order,
// but gemm is below it.)
#pragma once

#include <string>

#include <tenfold/types.hpp>

namespace tenfold::gemm_impl {

/// A matrix's place in memory; strides in elements.
struct matrix_placement {
    const void *data;
    index_t element_size;
    index_t rows, columns;
    index_t row_stride, column_stride;
};

/// Returns "2 rows with stride 1 and 3 columns with stride 2, of 8 bytes each".
std::string describe(const matrix_placement &matrix);

/// `count` matrices; `stride` is the distance in elements from one to the next.
struct batch_placement {
    matrix_placement first;
    index_t count, stride;
};

/// Returns true if the distance between any two bytes of all elements fits 64 bits. Strides of
/// modes with at most one position do not matter.
bool fits_64_bits(const batch_placement &batch) noexcept;

/// Returns true if two positions of the matrix are one element. Exact, O(log stride).
bool overlaps_itself(const matrix_placement &matrix) noexcept;

/// Returns true if an element of one shares a byte with an element of the other. O(1) if the
/// address ranges are disjoint. Interleaved matrices are tested exactly, unless unusual strides
/// make the search exceed its bound; then it returns true, the safe answer.
bool share_memory(const matrix_placement &one, const matrix_placement &other) noexcept;

/// The same tests for all matrices of a batch: whether two positions of any of them are one
/// element, and whether any matrix of one batch shares a byte with any of the other. Exact within
/// the bound.
bool overlaps_itself(const batch_placement &batch) noexcept;
bool share_memory(const batch_placement &one, const batch_placement &other) noexcept;

} // namespace tenfold::gemm_impl
