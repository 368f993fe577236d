#include "distributed/run/local_work.hpp"

#include <tenfold/tensor.hpp>

namespace tenfold::dist_impl {

status multiply(const local_product &product) {
    const auto &[plan, alpha, a, b, beta, d, workspace] = product;
    return plan.execute(alpha, a, b, beta, d, d, workspace);
}

void buffer_deleter::operator()(std::byte *memory) const noexcept {
    base::aligned_deleter()(memory);
}

buffer allocate_buffer(byte_count size) {
    return buffer(static_cast<std::byte *>(base::allocate_aligned(size)));
}

} // namespace tenfold::dist_impl
