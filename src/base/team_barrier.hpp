// Where the threads of one team wait for each other without keeping a core from somebody else.
#pragma once

#include <atomic>
#include <cstdint>

namespace tenfold::base {

/// A barrier for one team, used any number of times.
///
/// Waiting threads spin while a core would be idle anyway, then let others run, then sleep.
/// OpenMP's own barrier spins for milliseconds: libgomp knows how many threads this process runs,
/// but not that another rank of the node, or another program, needs the core on which it waits.
class team_barrier {
public:
    /// Waits until `members` threads have come.
    void wait(int members) noexcept;

private:
    bool passed(std::uint32_t round) const noexcept {
        return round_.load(std::memory_order_acquire) != round;
    }

    /// Counts barriers; what is slept on. On a line of its own, because the spinning threads read
    /// it while the others count themselves in.
    alignas(64) std::atomic<std::uint32_t> round_{0};
    alignas(64) std::atomic<int> arrived_{0};
};

} // namespace tenfold::base
