// Seconds that data takes between memory, caches and cores: what the prices of products, moves and
// loops have in common.
#pragma once

#include <algorithm>
#include <cmath>

#include <tenfold/types.hpp>

#include "base/machine.hpp"
#include "base/rates.hpp"

namespace tenfold::base {

/// Bytes that stay in the caches of so many cores until they are used again. Half of the last cache
/// is left to passing data and other programs.
inline double kept_in_caches(const machine &on, int threads) noexcept {
    return std::max(static_cast<double>(on.l2.size) * threads, static_cast<double>(on.l3.size) / 2);
}

/// Outputs of so many bytes and more are written past the caches: they would hold little of it
/// until it is read, and a line that is written through them is read from memory first.
inline index_t least_past_caches(const machine &on) noexcept {
    return (on.l3.size > 0 ? on.l3.size : 4 * on.l2.size) / 4;
}

/// Cache lines of a run of adjacent elements, on average of those that begin anywhere.
struct lines_of_run {
    double touched;
    double filled; ///< by the run alone

    /// Sizes in bytes. `on_lines`: the run begins on a line.
    lines_of_run(double run, double element, double line, bool on_lines) noexcept
        : touched(on_lines ? std::ceil(run / line) : 1 + (run - element) / line),
          filled(on_lines ? std::floor(run / line) : std::max(0.0, (run + element - line) / line)) {
    }

    /// Those that move where the run is written: lines that it fills in part are read first.
    double moved_by_writing() const noexcept { return 2 * touched - filled; }
};

/// Elements of one size, some of which are read or written: `whole` elements are in use between two
/// uses of the same one, and decide from which cache they come.
struct stream {
    double elements = 0;
    index_t step = 1; ///< between the closest two, in elements
    double whole = 0;
};

class traffic {
public:
    /// `machine` and `rates` must outlive it.
    traffic(const machine &on, const machine_rates &rates, index_t element_size) noexcept
        : rates_(rates), element_(static_cast<double>(element_size)),
          line_(static_cast<double>(on.l1d.line)), l2_(static_cast<double>(on.l2.size)),
          l3_(static_cast<double>(on.l3.size)) {}

    /// The bandwidth for a footprint in bytes: `in_memory` unless it fits the caches.
    double bandwidth(double footprint, double in_memory, int threads) const noexcept;

    /// Returns true if no cache helps to read a footprint of so many elements.
    bool from_memory(double elements, int threads) const noexcept {
        const double memory = rates_.reading(threads);
        return bandwidth(elements * element_, memory, threads) <= memory;
    }

    /// Bytes transferred per useful byte when elements are `step` apart.
    double line_waste(index_t step) const noexcept;

    /// Seconds of reading or writing once; `in_memory`: the bandwidth where no cache helps.
    double seconds(const stream &data, double in_memory, int threads) const noexcept;

    /// Seconds of reading and writing back once. Lines go back to L3 while others arrive from it.
    double overwriting_seconds(const stream &data, int threads) const noexcept;

    /// Seconds of `bytes` bytes between L2 and the cores.
    double in_cache(double bytes, int threads) const noexcept {
        return bytes / (rates_.cache_bandwidth * threads);
    }

    double element() const noexcept { return element_; } ///< bytes of an element
    double line() const noexcept { return line_; }       ///< bytes of a cache line
    double l2() const noexcept { return l2_; }           ///< bytes of one core's L2
    double l3() const noexcept { return l3_; }           ///< bytes; 0 if there is none
    const machine_rates &rates() const noexcept { return rates_; }

private:
    enum class level { l2, l3, memory };
    /// Where data is found that has so many bytes between two uses.
    level level_of(double footprint, int threads) const noexcept;

    const machine_rates &rates_;
    double element_, line_, l2_, l3_;
};

} // namespace tenfold::base
