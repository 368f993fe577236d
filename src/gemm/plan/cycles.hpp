// Cycles that the prices of several forms are made of.
#pragma once

#include <tenfold/types.hpp>

#include "base/rates.hpp"

namespace tenfold::gemm_impl {

inline double real(index_t n) noexcept { return static_cast<double>(n); }

/// Register multiply-adds that a core starts per cycle, on all processors with FMA units that
/// Tenfold has kernels for; prices of cycles follow from it and the FMA rate.
inline constexpr double per_cycle = 2;
/// Cycles for a register of D: load, multiply-add with beta, store, from and to L1.
inline constexpr double update = 1;
/// Cycles beyond `update` for a register of D that was computed before and comes from further away
/// than L1 (docs/adr/0010).
inline constexpr double load_again = 4;
/// Share of the shorter of computing and moving that the longer one does not hide in a streamed
/// product. Data is prefetched while the products before compute; long products hide more.
inline constexpr double not_hidden = 0.3;

/// Seconds of a processor's cycle, in which it starts two multiply-adds of registers of
/// `vector_length` real numbers of the type.
inline double seconds_of_cycle(data_type type, index_t vector_length,
                               const base::machine_rates &rates) noexcept {
    return 2 * real(vector_length) * per_cycle / rates.fma_flops(type);
}

} // namespace tenfold::gemm_impl
