// Buffers of one contraction for the next: pages that the system hands out are filled with zeros
// first, which takes as long as copying what goes into them.
#pragma once

#include <utility>

#include <tenfold/types.hpp>

#include "distributed/run/local_work.hpp"

namespace tenfold::dist_impl {

/// One block at most. It is given up where anything else is allocated, so that what a rank holds
/// at its peak is what it would hold without.
class kept_memory {
public:
    /// `size` bytes or a thirty-second more, kept or new; `size` becomes what there are. Throws
    /// errc::out_of_memory.
    buffer take(index_t &size) {
        if (size_ < size || size_ - size > size / 32)
            release();
        if (block_ == nullptr)
            return allocate_buffer(bytes(size));
        size = size_;
        size_ = 0;
        return std::move(block_);
    }
    void keep(buffer block, index_t size) noexcept {
        block_ = std::move(block);
        size_ = size;
    }
    void release() noexcept {
        block_.reset();
        size_ = 0;
    }

private:
    buffer block_;
    index_t size_ = 0;
};

} // namespace tenfold::dist_impl
