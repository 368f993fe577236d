// Skinny products: the long operand is read once, in place, and nothing is packed.
#pragma once

#include "base/machine.hpp"
#include "gemm/epilogue.hpp"
#include "gemm/plan/choose.hpp"
#include "gemm/plan/shape.hpp"

namespace tenfold::gemm_impl {

/// A multiplication whose n, or m, is a few register tiles.
struct streamed_problem {
    gemm_shape shape;
    const micro_kernel *kernel = nullptr;
    void (*multiply)(const skinny_product *) = nullptr;
    stream_way way = stream_way::tall;
    index_t kc = 1; ///< steps that are taken together
    int threads = 1;
    bool bypasses_caches = false; ///< D is written past the caches if beta = 0 and it is aligned to
                                  ///< lines
    index_t cached_d = 1; ///< elements of D that stay in a cache from one piece of k to the next
    index_t cached_a = 0; ///< rows of A that are fetched into L2 column by column, kc columns of
                          ///< them; 0: A is fetched tile by tile

    /// The sums of a tall product's pieces of k wait in the workspace, where each thread has a
    /// part: D is read and written once, past the caches if it does not stay there.
    byte_count workspace_size() const noexcept;
};

/// Returns the bytes that are in use between two uses of a tall or wide D. Half of the caches is
/// left to what passes, which the long operand does: it takes D's half if both exceed the whole.
/// Registers shorter than lines gain by stores past the caches from half of that on
/// (docs/adr/0007).
double bytes_in_use(const gemm_shape &shape, const micro_kernel &kernel) noexcept;

/// Returns true if D's columns may be written past the cache although a line takes two registers:
/// so much data passes that little of D stays in cache anyway.
bool may_join_lines(const gemm_shape &shape, const micro_kernel &kernel,
                    const base::machine &machine) noexcept;

/// The cut of k depends on shape, kernel and machine only, so the result does not depend on the
/// number of threads. `whole_d` is the number of elements of the matrix that D is a part of.
streamed_problem make_streamed_problem(const gemm_shape &shape, const micro_kernel &kernel,
                                       const base::machine &machine, int threads,
                                       index_t whole_d = 0) noexcept;

/// The epilogue, in the shape's orientation, is applied to D piece by piece. The operands of `next`
/// are prefetched at the end.
void run_streamed(const streamed_problem &problem, const loop_operands &x, following next) noexcept;

/// Does the same on the calling thread, whatever the problem says, without epilogue and workspace:
/// each piece of k adds to D.
void run_streamed_alone(const streamed_problem &problem, const loop_operands &x) noexcept;

} // namespace tenfold::gemm_impl
