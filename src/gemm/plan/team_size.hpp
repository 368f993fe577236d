// Computes how many threads pay for a product.
#pragma once

#include <algorithm>

namespace tenfold::gemm_impl {

/// Work that outweighs the cost of one more thread (a few microseconds to start, wait and move
/// data): about 20 us of a core.
inline constexpr double flops_per_thread = 1e6;
inline constexpr double bytes_per_thread = 256e3;

inline int worthwhile_threads(int wanted, double work, double work_per_thread) noexcept {
    const double most = std::clamp(work / work_per_thread, 1.0, static_cast<double>(wanted));
    return std::max(1, static_cast<int>(most));
}

} // namespace tenfold::gemm_impl
