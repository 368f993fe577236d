// The memory's bandwidths, learnt from executions, and from a copy with each probe, where nobody has
// calibrated the machine.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>

#include "base/rates.hpp"

namespace tenfold::base {

/// What executions say of a copy, in bytes per second, read and written together; 0: nothing.
struct seen_copy {
    double fastest = 0; ///< that moved far more than caches hold
    double at_most = 0; ///< the fastest of those that caches may have helped: memory is no faster

    friend bool operator==(const seen_copy &, const seen_copy &) = default;
};

struct seen_copies {
    seen_copy one; ///< by one thread
    seen_copy all; ///< by all threads of the context

    friend bool operator==(const seen_copies &, const seen_copies &) = default;
};

/// The rates of a context, of which executions may correct those of the memory. Thread-safe.
///
/// Copies give all of the memory's rates: reading and updating are typically as much faster or
/// slower than copying as the rates at the beginning say. The fastest copy counts, because others
/// lose time to other programs; copies that were plainly disturbed are not told
/// (execution_watch.hpp). Where nothing moves far more than caches hold, as in a virtual machine
/// that shows the last-level cache of all its host's programs as its own, copies can still say that
/// the memory is slower than typical.
class learnt_memory {
public:
    /// Executions that should be shorter than that, by the rates known before, teach nothing. What
    /// they took does not decide: of short copies, only the disturbed ones would teach.
    explicit learnt_memory(double shortest_seconds = 10e-3) noexcept
        : shortest_seconds_(shortest_seconds) {}

    /// Before the first use by another thread. `threads`: all that the context has; 0: `rates` are
    /// final.
    void begin(const machine_rates &rates, int threads, const seen_copies &seen) noexcept;

    /// What plans are priced with. Stays valid and unchanged; later calls may return others.
    const machine_rates &rates() const noexcept {
        return versions_[newest_.load(std::memory_order_acquire)];
    }
    bool learns() const noexcept { return threads_ > 0; }

    /// Learns from a transfer that took a copy's time of so many bytes. `caches_help`: part of them
    /// may have been in caches.
    void saw(int threads, double bytes, double seconds, bool caches_help = false) noexcept;

    seen_copies seen() const noexcept;
    /// Differs from what it began with.
    bool has_learnt() const noexcept { return newest_.load(std::memory_order_acquire) > 0; }

private:
    double shortest_seconds_;
    machine_rates at_first_{};
    seen_copies seen_;
    int threads_ = 0;
    mutable std::mutex writes_;
    /// Plans read them while others are added.
    std::array<machine_rates, 32> versions_{};
    std::atomic<std::size_t> newest_ = 0;
};

/// `rates`, with those of the memory replaced by what was seen.
machine_rates corrected(const machine_rates &rates, const seen_copies &seen) noexcept;

} // namespace tenfold::base
