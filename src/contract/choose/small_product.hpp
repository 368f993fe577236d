// Which products of two matrices are so small that contract() makes no plan for them.
#pragma once

#include <tenfold/types.hpp>

namespace tenfold::contract_impl {

/// Returns true if D(m x n) = A(m x k) B(k x n) takes less time than planning does. Its form is
/// GEMM's small one, by contract() and by plans alike, so that both give the same bits: prices of
/// vector loops come close where an extent is 2. Where they were lower, the small form took 1
/// / 1.07 to 1 / 5.4 of the time (AMD Zen 4, AVX2, 40 products). Matrices of one row or column are
/// vectors, which have forms of their own.
constexpr bool is_small_product(index_t m, index_t n, index_t k) noexcept {
    constexpr index_t most = 32 * 32 * 32; // multiply-adds
    return m >= 2 && n >= 2 && k >= 2 && m <= most && n <= most && k <= most && m * n <= most &&
           m * n * k <= most;
}

} // namespace tenfold::contract_impl
