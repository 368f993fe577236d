// The loops in which products spend their time, of one thread, for whoever measures how fast the
// machine runs them.
#pragma once

#include <array>
#include <cstddef>

#include <tenfold/types.hpp>

#include "base/workspace.hpp"
#include "gemm/kernels/registry.hpp"

namespace tenfold::gemm_impl {

/// Multiplies a block of A (rows x k) by one micro-panel of B, tile by tile. All values are zero.
class tile_loop {
public:
    /// Rounds `rows` to whole tiles, at least one. Throws std::bad_alloc.
    tile_loop(const kernel_info &kernel, index_t rows, index_t k);

    double flops() const noexcept;
    void run() const noexcept;

private:
    const kernel_info &kernel_;
    index_t rows_, k_;
    base::workspace_pool pool_;
    base::workspace_lease memory_; ///< A's block, B's micro-panel, D
    std::byte *a_, *b_, *d_;
};

/// Packs a matrix A(m x k) of f64 into micro-panels, `depth` columns at a time, once with adjacent
/// rows and once with adjacent columns.
class packing_loop {
public:
    /// `matrix` and `panels`: rough sizes of what is read, and of what is written repeatedly.
    packing_loop(isa instruction_set, byte_count matrix, byte_count panels) noexcept;

    /// Elements that run() needs at `matrix` and at `panels`.
    index_t matrix_elements() const noexcept { return m_ * k_; }
    index_t panel_elements() const noexcept { return m_ * depth_; }
    /// Bytes that run() reads and writes.
    double bytes() const noexcept;
    /// Bytes per second at which the matrix arrives if run() takes so long: what it takes beyond
    /// writing panels at `cache_bandwidth`, which is the most.
    double arrival(double seconds, double cache_bandwidth) const noexcept;
    void run(const double *matrix, double *panels) const noexcept;

private:
    const micro_kernel &kernel_;
    index_t m_, depth_, k_;
};

} // namespace tenfold::gemm_impl
