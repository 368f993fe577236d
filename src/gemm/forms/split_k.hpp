// Small results of long sums: k is cut, because m and n alone would not occupy a team.
#pragma once

#include <cstddef>

#include "gemm/forms/driver.hpp"
#include "gemm/forms/streamed.hpp"

namespace tenfold::gemm_impl {

/// k in leaves, each computed by one thread into a matrix of its own; these are summed by a fixed
/// tree. The cut depends on shape and kernel only: the result does not depend on the threads.
struct split_k_problem {
    gemm_shape shape;
    macro_problem leaf;        ///< the longest one, on one thread
    streamed_problem in_place; ///< the same, if operands need not be packed
    bool streams = false;      ///< they need not
    index_t leaves = 1;
    int threads = 1;

    byte_count workspace_size() const noexcept;
};

/// 1 where cutting k does not pay: enough micro-tiles for a team, or a short sum.
index_t choose_leaves(const gemm_shape &shape, const micro_kernel &kernel) noexcept;

split_k_problem make_split_k_problem(const gemm_shape &shape, const micro_kernel &kernel,
                                     const blocking &blocks, index_t leaves, int threads) noexcept;

void run_split_k(const split_k_problem &problem, scalar alpha, const void *a, const void *b,
                 scalar beta, void *d, std::byte *workspace, const fused_epilogue *finish) noexcept;

} // namespace tenfold::gemm_impl
