// Mixed products with small results and long sums: k is cut, as in split_k.hpp.
#pragma once

#include <cstddef>

#include "gemm/epilogue.hpp"
#include "gemm/forms/driver.hpp"

namespace tenfold::gemm_impl {

/// k is cut into leaves. One thread computes each leaf into a matrix of its own, and a fixed tree
/// sums these. The cut depends on the shape only, so results do not depend on the number of threads
/// nor, with bf16's dot products, on the instruction set.
struct leaves_problem {
    gemm_shape shape;
    macro_problem leaf; ///< for all leaves but the last, on one thread
    index_t leaves = 1;
    int threads = 1;

    byte_count workspace_size() const noexcept;
};

/// `leaves` is 1 if cutting k does not pay.
leaves_problem make_leaves_problem(const gemm_shape &shape, const micro_kernel &kernel,
                                   const blocking &blocks, const element_format &elements,
                                   int threads) noexcept;

template <class Out> void run_leaves(const leaves_problem &problem, Out alpha, const void *a,
                                     const void *b, Out beta, Out *d, std::byte *workspace,
                                     const fused_epilogue *finish) noexcept;

} // namespace tenfold::gemm_impl
