// Cuts a tensor in a file into blocks.
#pragma once

#include <tenfold/dist_plan.hpp>

namespace tenfold::dist_impl {

/// A dense array, column-major or row-major, in blocks. A block is a box of positions and also a
/// contiguous part of the array. The cuts depend only on the extents and on `most`, not on ranks or
/// distributions: the fastest modes stay whole as long as together they have at most `most`
/// elements, the next mode is cut into equal parts (by cut()), the others into single positions.
class file_blocks {
public:
    /// Cuts into blocks of at most `most` elements; `most` is at least 1.
    file_blocks(extents_t extents, bool row_major, index_t most);

    /// Returns the number of blocks; 0 if an extent is 0.
    index_t count() const noexcept { return count_; }
    /// Returns the number of elements of the largest block.
    index_t largest() const noexcept { return count_ == 0 ? 0 : slab_ * largest_part_; }
    /// box(i) is the box of block i, begin(i) the number of elements before it in the array;
    /// O(order).
    slice box(index_t i) const;
    index_t begin(index_t i) const noexcept;
    /// Returns the strides of a block's elements in the file's order.
    extents_t strides_of(const slice &box) const;

private:
    std::size_t mode(std::size_t k) const noexcept; ///< the k-th fastest mode

    extents_t extents_;
    bool row_major_;
    std::size_t whole_ = 0; ///< number of modes that are not cut
    index_t slab_ = 1;      ///< elements of the uncut modes
    index_t cut_extent_ = 1;
    index_t parts_ = 1;
    index_t largest_part_ = 1;
    index_t count_ = 1;
};

} // namespace tenfold::dist_impl
