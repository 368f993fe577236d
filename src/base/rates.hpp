// How fast the machine is: the one description that all cost models compute from.
#pragma once

#include <span>

#include <tenfold/types.hpp>

namespace tenfold::base {

/// Of a core, all cores busy, unless it says otherwise. Bandwidths are bytes per second that the
/// program reads and writes together; what caches read before a write is not counted.
struct machine_rates {
    double fma_flops_f64;        ///< flops per second of multiply-adds, a product and a sum each
    double fma_flops_f32;        ///<
    double memory_bandwidth;     ///< copying past the caches, one thread alone
    double memory_bandwidth_all; ///< the same, all threads together
    double read_bandwidth;       ///< reading only, one thread alone
    double read_bandwidth_all;   ///< all threads together
    double update_bandwidth;     ///< y = a x + y, one thread alone
    double update_bandwidth_all; ///< all threads together
    double cache_bandwidth;      ///< packing panels of matrices that stay in L2
    double l3_bandwidth;         ///< packing panels from L3 into L2
    double transpose_kept;       ///< speed as a fraction of a copy's; stride 1 keeps its mode
    double transpose_moved;      ///< the same when another mode gets stride 1
    double call;                 ///< seconds to enter a kernel through its dispatch
    double fork;                 ///< seconds to start and join a team of two
    double fork_per_thread;      ///< seconds that each further thread adds to that
    double strided_line;         ///< seconds for one element of a line, lines pages apart

    /// What a core of the last years' machines does with that instruction set, and what so many
    /// cores share. Nothing that is said of one thread depends on `cores`.
    static machine_rates typical_of(isa instruction_set, int cores = 1) noexcept;

    /// Of the real numbers that elements of `type` consist of; those that are widened count as f32.
    double fma_flops(data_type type) const noexcept;

    // Threads share the memory: each adds its own bandwidth until all of it is used.
    double memory(int threads) const noexcept;
    double reading(int threads) const noexcept;
    double updating(int threads) const noexcept;

    /// Seconds to start and join a team; nothing for one thread.
    double fork_join(int threads) const noexcept;
};

/// One member of machine_rates, for those that list them: files, tables, tests.
struct rate {
    enum class unit : std::uint8_t { flops, bytes, seconds, fraction };
    const char *name;
    double machine_rates::*value;
    unit in;
    double least, most; ///< beyond these no machine is: what a file says there is refused
    const char *meaning;
};

/// All members, in their order.
std::span<const rate> all_rates() noexcept;

} // namespace tenfold::base
