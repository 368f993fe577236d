// Memory for panels, pieces and packing buffers, and what a communicator keeps of it.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <tenfold/types.hpp>

namespace tenfold::dist_impl {

struct buffer_deleter {
    void operator()(std::byte *memory) const noexcept;
};
using buffer = std::unique_ptr<std::byte, buffer_deleter>;

/// Throws errc::out_of_memory. Simulations of large machines (tests/simulation) link another
/// implementation, which reserves addresses only.
buffer allocate_buffer(byte_count size);

/// The buffers of the last contraction, at most one block: the operating system fills new pages
/// with zeros, which takes as long as copying data into them. The block is freed before anything
/// else is allocated, so keeping it does not raise a rank's peak memory.
class kept_memory {
public:
    /// Returns a block of `size` bytes or up to 1/32 more, kept or new, and sets `size` to its
    /// size. Throws errc::out_of_memory.
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
