// How a tensor lies in a file.
#pragma once

#include <tenfold/dist_plan.hpp>

namespace tenfold::dist_impl {

/// A dense array, column-major or row-major, in blocks. A block is a box of positions and also a
/// contiguous part of the array. How the array is cut depends on the extents and on `most` only,
/// not on ranks or distributions: the fastest modes are kept whole as long as they have at most
/// `most` elements, the next one is cut into equal parts (by cut()), the others into single
/// positions.
class file_blocks {
public:
    /// Blocks of at most `most` elements, which is at least 1.
    file_blocks(extents_t extents, bool row_major, index_t most);

    /// 0 where an extent is 0.
    index_t count() const noexcept { return count_; }
    /// Elements of the largest one.
    index_t largest() const noexcept { return count_ == 0 ? 0 : slab_ * largest_part_; }
    /// The box of block i, and how many elements of the array come before it; O(order).
    slice box(index_t i) const;
    index_t begin(index_t i) const noexcept;
    /// Those of a block's elements as they stand in the file.
    extents_t strides_of(const slice &box) const;

private:
    std::size_t mode(std::size_t k) const noexcept; ///< the k-th fastest

    extents_t extents_;
    bool row_major_;
    std::size_t whole_ = 0; ///< modes that are not cut
    index_t slab_ = 1;      ///< elements of these
    index_t cut_extent_ = 1;
    index_t parts_ = 1;
    index_t largest_part_ = 1;
    index_t count_ = 1;
};

} // namespace tenfold::dist_impl
