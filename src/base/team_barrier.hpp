// A barrier for the threads of one team that does not keep a core from other threads for long.
#pragma once

#include <atomic>
#include <cstdint>

namespace tenfold::base {

/// A reusable barrier for one team.
///
/// Waiting threads first spin, then yield, then sleep. OpenMP's barrier spins for milliseconds:
/// libgomp counts the threads of this process, but cannot tell that another rank of the node, or
/// another program, needs the core.
class team_barrier {
public:
    /// Waits until `members` threads have arrived.
    void wait(int members) noexcept;

private:
    bool passed(std::uint32_t round) const noexcept {
        return round_.load(std::memory_order_acquire) != round;
    }

    /// Counts barriers; waiting threads sleep on it. It has a cache line of its own, because
    /// threads spin on it while others write arrived_.
    alignas(64) std::atomic<std::uint32_t> round_{0};
    alignas(64) std::atomic<int> arrived_{0};
};

} // namespace tenfold::base
