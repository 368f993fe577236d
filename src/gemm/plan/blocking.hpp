// KC, MC, NC: which part of the problem stays in which cache.
#pragma once

#include <string>

#include <tenfold/types.hpp>

#include "base/machine.hpp"
#include "gemm/kernels/kernel_abi.hpp"

namespace tenfold::gemm_impl {

struct blocking {
    index_t mr = 0, nr = 0;
    index_t kc = 0; ///< steps of a micro-panel
    index_t mc = 0; ///< rows of a packed block of A, a multiple of mr
    index_t nc = 0; ///< columns of a packed panel of B, a multiple of nr

    /// Returns "MRxNR 24x8, KC 256, MC 240, NC 4080".
    std::string describe() const;
    friend bool operator==(const blocking &, const blocking &) = default;
};

/// Returns how many steps of a micro-panel of B a third of L1 holds (blocking.cpp says why).
index_t steps_in_l1(const base::machine &machine, const micro_kernel &kernel,
                    index_t element_size) noexcept;

/// Returns how many rows of a block of A stay in L1 beside a micro-panel of B. `row_bytes`: of KC
/// steps.
index_t rows_in_l1(const base::machine &machine, const blocking &blocks,
                   index_t row_bytes) noexcept;

/// Follows the analytical model of Low, Igual, Smith and Quintana-Orti (Analytical modeling is
/// enough for high-performance BLIS, ACM TOMS 43(2), 2016), which uses the caches' sizes and
/// associativities, with changes that measured faster (blocking.cpp). Sizes in machine.blocking
/// override it.
blocking choose_blocking(const base::machine &machine, const micro_kernel &kernel,
                         index_t element_size) noexcept;

/// A team shares one problem `m` ways over rows times `n` ways over columns.
struct thread_grid {
    int m = 1, n = 1;
};

/// Returns the grid whose busiest thread computes the fewest micro-tiles. Prefers more ways over
/// rows unless that costs more than 3 %, so that A's blocks stay private to a core.
thread_grid choose_grid(int threads, index_t m, index_t n, const blocking &blocks) noexcept;

} // namespace tenfold::gemm_impl
