// The five loops around the micro-kernel.
#pragma once

#include <cstddef>

#include "gemm/blocking.hpp"
#include "gemm/epilogue.hpp"
#include "gemm/shape.hpp"

namespace tenfold::gemm_impl {

/// A multiplication as the loops see it: vectors run along D's rows index m.
struct macro_problem {
    gemm_shape shape;
    const micro_kernel *kernel = nullptr;
    blocking blocks;       ///< clipped to the problem
    bool direct_a = false; ///< A's micro-panels are read where they lie (unit row stride)
    bool direct_b = false;
    int threads = 1;
    bool streams = false; ///< D past the cache where beta = 0

    /// Packed A of every thread, and B twice when threads share it.
    byte_count workspace_size() const noexcept;
};

/// How a team shares one problem: `m` ways over rows times `n` ways over columns.
struct thread_grid {
    int m = 1, n = 1;
};

/// The grid whose busiest thread computes the fewest micro-tiles; more ways over rows unless that
/// costs more than 3 %, so that A's blocks stay private to a core.
thread_grid choose_grid(int threads, index_t m, index_t n, const blocking &blocks) noexcept;

/// Decides panel sizes and which operands are worth packing.
macro_problem make_macro_problem(const gemm_shape &shape, const micro_kernel &kernel,
                                 const blocking &blocks, int threads) noexcept;

/// alpha, beta: one element of the shape's type. The result does not depend on the team's size.
/// `finish` (or null), in the shape's orientation, is applied to each strip of D once it is
/// complete.
void run_macro(const macro_problem &problem, const void *alpha, const void *a, const void *b,
               const void *beta, void *d, std::byte *workspace,
               const fused_epilogue *finish) noexcept;

/// The same on the calling thread, whatever the problem says, without epilogue.
void run_macro_alone(const macro_problem &problem, const void *alpha, const void *a, const void *b,
                     const void *beta, void *d, std::byte *workspace) noexcept;

} // namespace tenfold::gemm_impl
