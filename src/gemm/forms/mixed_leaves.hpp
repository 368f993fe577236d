// Mixed products with small results and long sums: k is cut, as split_k.hpp does for one type.
#pragma once

#include <cstddef>

#include "gemm/epilogue.hpp"
#include "gemm/forms/driver.hpp"

namespace tenfold::gemm_impl {

/// k in leaves, each computed by one thread into a matrix of its own; these are summed by a fixed
/// tree. The cut depends on the shape alone: results depend neither on the threads nor, with
/// bf16's dot products, on the instruction set.
struct leaves_problem {
    gemm_shape shape;
    macro_problem leaf; ///< of all but the last leaf, on one thread
    index_t leaves = 1;
    int threads = 1;

    byte_count workspace_size() const noexcept;
};

/// leaves = 1 where cutting k does not pay.
leaves_problem make_leaves_problem(const gemm_shape &shape, const micro_kernel &kernel,
                                   const blocking &blocks, const element_format &elements,
                                   int threads) noexcept;

template <class Out> void run_leaves(const leaves_problem &problem, Out alpha, const void *a,
                                     const void *b, Out beta, Out *d, std::byte *workspace,
                                     const fused_epilogue *finish) noexcept;

} // namespace tenfold::gemm_impl
