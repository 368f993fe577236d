// The five loops around the micro-kernel.
#pragma once

#include <cstddef>

#include "gemm/epilogue.hpp"
#include "gemm/plan/blocking.hpp"
#include "gemm/plan/shape.hpp"

namespace tenfold::gemm_impl {

/// Elements as the loops see them: bytes in A and B, in packed panels, and in D. One size for all
/// in products of one type; where inputs are narrower than the output, `group` steps of k lie
/// together in one word of a panel, and the last group is filled with zeros.
struct element_format {
    index_t input = 0;  ///< bytes of an element of A and B where they lie
    index_t word = 0;   ///< bytes of one row's share of a step of a packed panel
    index_t output = 0; ///< bytes of an element of D
    index_t group = 1;
    index_t tail = 0;          ///< words that a micro-panel has for each row past its last step
    const void *one = nullptr; ///< of the output's type

    /// Bytes of a packed panel, per row.
    index_t row_bytes(index_t steps) const noexcept {
        return (group == 1 ? steps : (steps + group - 1) / group) * word + tail * word;
    }
    static element_format of(data_type type) noexcept;
};

/// A multiplication as the loops see it: vectors run along D's rows index m.
struct macro_problem {
    gemm_shape shape;
    const micro_kernel *kernel = nullptr;
    blocking blocks;       ///< clipped to the problem
    bool direct_a = false; ///< A's micro-panels are read where they lie (unit row stride)
    bool direct_b = false;
    int threads = 1;
    element_format elements;
    bool streams = false; ///< D past the cache where beta = 0

    /// Packed A of every thread, and B, twice when threads share more than one panel of it.
    byte_count workspace_size() const noexcept;
};

/// How a team shares one problem: `m` ways over rows times `n` ways over columns.
struct thread_grid {
    int m = 1, n = 1;
};

/// The grid whose busiest thread computes the fewest micro-tiles; more ways over rows unless that
/// costs more than 3 %, so that A's blocks stay private to a core.
thread_grid choose_grid(int threads, index_t m, index_t n, const blocking &blocks) noexcept;

/// Decides panel sizes and which operands are worth packing. `elements` are those of the shape's
/// type unless the product is a mixed one; shape.type is not read then. D may be a part of
/// something larger, of `whole_d` elements.
macro_problem make_macro_problem(const gemm_shape &shape, const micro_kernel &kernel,
                                 const blocking &blocks, int threads,
                                 const element_format &elements, index_t whole_d = 0) noexcept;
inline macro_problem make_macro_problem(const gemm_shape &shape, const micro_kernel &kernel,
                                        const blocking &blocks, int threads,
                                        index_t whole_d = 0) noexcept {
    return make_macro_problem(shape, kernel, blocks, threads, element_format::of(shape.type),
                              whole_d);
}

/// alpha, beta: one element of D's type. The result does not depend on the team's size.
/// `finish` (or null), in the shape's orientation, is applied to each strip of D once it is
/// complete.
void run_macro(const macro_problem &problem, const void *alpha, const void *a, const void *b,
               const void *beta, void *d, std::byte *workspace,
               const fused_epilogue *finish) noexcept;

/// The same on the calling thread, whatever the problem says, without epilogue.
void run_macro_alone(const macro_problem &problem, const void *alpha, const void *a, const void *b,
                     const void *beta, void *d, std::byte *workspace) noexcept;

} // namespace tenfold::gemm_impl
