// Small results of long sums: k is cut, because m and n alone would not occupy a team.
#pragma once

#include <cstddef>

#include "gemm/forms/driver.hpp"
#include "gemm/forms/streamed.hpp"

namespace tenfold::gemm_impl {

/// k is cut into leaves. One thread computes each leaf into a matrix of its own, and a fixed tree
/// sums these. The cut depends on shape and kernel only, so the result does not depend on the
/// number of threads.
struct split_k_problem {
    gemm_shape shape;
    macro_problem leaf;        ///< the longest leaf, on one thread
    streamed_problem in_place; ///< the same, used if operands need not be packed
    bool streams = false;      ///< use `in_place`
    index_t leaves = 1;
    int threads = 1;

    byte_count workspace_size() const noexcept;
};

/// Returns 1 if cutting k does not pay: there are enough micro-tiles for a team, or the sum is
/// short.
index_t choose_leaves(const gemm_shape &shape, const micro_kernel &kernel) noexcept;

split_k_problem make_split_k_problem(const gemm_shape &shape, const micro_kernel &kernel,
                                     const blocking &blocks, index_t leaves, int threads) noexcept;

void run_split_k(const split_k_problem &problem, scalar alpha, const void *a, const void *b,
                 scalar beta, void *d, std::byte *workspace, const fused_epilogue *finish) noexcept;

} // namespace tenfold::gemm_impl
