// The machine's rates, from which all cost models compute.
#pragma once

#include <span>

#include <tenfold/types.hpp>

namespace tenfold::base {

/// Rates of one core while all cores are busy, unless stated otherwise. Bandwidths are bytes per
/// second that the program reads and writes together; lines that caches fetch before a write are
/// not counted.
struct machine_rates {
    double fma_flops_f64;        ///< flops per second of multiply-adds, two flops each
    double fma_flops_f32;        ///< the same for f32
    double kernel_efficiency;    ///< share of it that GEMM's micro-kernels reach, A's block in L2
    double fmas_per_cycle = 2;   ///< registers: 2, or 1 where the longest take both units
    double memory_bandwidth;     ///< copy with non-temporal stores, one thread alone
    double memory_bandwidth_all; ///< the same, all threads together
    double read_bandwidth;       ///< read only, one thread alone
    double read_bandwidth_all;   ///< all threads together
    double update_bandwidth;     ///< y = a x + y, one thread alone
    double update_bandwidth_all; ///< all threads together
    double cache_bandwidth;      ///< packing panels of matrices that stay in L2
    double l3_bandwidth;         ///< what L3 delivers to L2, where it is packed
    double transpose_kept;  ///< bandwidth relative to a copy if the stride-1 mode stays the same
    double transpose_moved; ///< the same if another mode becomes the stride-1 mode
    double call;            ///< seconds to enter a kernel through its dispatch
    double fork;            ///< seconds to start and join a team of two
    double fork_per_thread; ///< seconds that each further thread adds to that
    double strided_line;    ///< seconds for one element of a line whose elements are pages apart
    double dot_flops_bf16; ///< flops per second of an instruction for dot products of bf16; 0: none
    double message_bandwidth; ///< what a rank of one thread receives, ranks on all cores at once
    double message_bandwidth_one; ///< what one rank receives while the others rest
    double message;               ///< seconds to send and receive a message beside its bytes

    /// Typical rates of recent machines with that ISA and number of cores. Rates of one thread
    /// alone do not depend on `cores`.
    static machine_rates typical_of(isa instruction_set, int cores = 1) noexcept;

    /// For the real numbers that make up elements of `type`; types that are widened count as f32.
    double fma_flops(data_type type) const noexcept;

    // Bandwidth of a team: each thread adds its own until the memory is saturated.
    double memory(int threads) const noexcept;
    double reading(int threads) const noexcept;
    double updating(int threads) const noexcept;
    /// Lines that are fetched and overwritten.
    double overwriting(int threads) const noexcept;

    /// Bytes per second that a rank of so many threads receives while all ranks do: fewer ranks
    /// share the machine, until one cannot take more.
    double receiving(int threads) const noexcept;

    /// Seconds to start and join a team; 0 for one thread.
    double fork_join(int threads) const noexcept;

    friend bool operator==(const machine_rates &, const machine_rates &) = default;
};

/// Describes one member of machine_rates, for files, tables and tests.
struct rate {
    enum class unit : std::uint8_t { flops, bytes, seconds, fraction };
    const char *name;
    double machine_rates::*value;
    unit in;
    double least, most; ///< plausible range; other values in a file are refused
    const char *meaning;
    bool probed = false; ///< measured at the first plan if nobody has calibrated (rate_probe.hpp)

    /// False for NaN.
    bool is_possible(double it) const noexcept { return it >= least && it <= most; }
};

/// All members, in the order of the struct.
std::span<const rate> all_rates() noexcept;

} // namespace tenfold::base
