#include "distributed/comm/buffers.hpp"

#include <tenfold/tensor.hpp>

namespace tenfold::dist_impl {

void buffer_deleter::operator()(std::byte *memory) const noexcept {
    base::aligned_deleter()(memory);
}

buffer allocate_buffer(byte_count size) {
    return buffer(static_cast<std::byte *>(base::allocate_aligned(size)));
}

} // namespace tenfold::dist_impl
