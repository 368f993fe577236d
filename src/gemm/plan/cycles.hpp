// Cycles that the prices of several forms are made of.
#pragma once

#include <tenfold/types.hpp>

#include "base/rates.hpp"

namespace tenfold::gemm_impl {

inline double real(index_t n) noexcept { return static_cast<double>(n); }

/// Cycles for a register of D: load, multiply-add with beta, store, from and to L1, where a core
/// starts two multiply-adds per cycle. Times cycles_of_register().
inline constexpr double update = 1;
/// The same beyond `update` for a register of D that was computed before and comes from further
/// away than L1 (docs/adr/0010).
inline constexpr double load_again = 4;
/// Share of the shorter of computing and moving that the longer one does not hide in a streamed
/// product. Data is prefetched while the products before compute; long products hide more.
inline constexpr double not_hidden = 0.3;

/// Cycles of what takes one, register by register, where a core starts two multiply-adds per cycle:
/// 2 where its units, loads and stores are half as long as registers (AVX-512 on Zen 4).
inline double cycles_of_register(const base::machine_rates &rates) noexcept {
    return 2 / rates.fmas_per_cycle;
}

/// Seconds of a processor's cycle. Registers have `vector_length` real numbers of the type.
inline double seconds_of_cycle(data_type type, index_t vector_length,
                               const base::machine_rates &rates) noexcept {
    return 2 * real(vector_length) * rates.fmas_per_cycle / rates.fma_flops(type);
}

} // namespace tenfold::gemm_impl
