// How long threads that answer requests, and those that compute, have a core at a time.
#pragma once

#include <chrono>
#include <cstdint>

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tenfold::server {

/// Longer than planning a small request takes: the others' turn may last a tick of the system's
/// clock, 4 ms.
inline constexpr std::chrono::milliseconds slice_of_answers{2};
/// Transfers alternate with each other and with answers.
inline constexpr std::chrono::microseconds slice_of_transfers{500};
/// About what Linux gives on eight cores and more; on fewer ones less. With longer ones, threads
/// that are nice wait for much longer beside other programs (7 s in place of 0.8 for 100 ms).
inline constexpr std::chrono::milliseconds slice_of_computing{3};

/// Asks Linux for the calling thread's time on a core before others have their turn, where several
/// wait for it. A thread that wakes goes before one that computes and has longer slices than it.
/// Linux before 6.12 ignores it; no right is needed for it.
inline void ask_for_slices(std::chrono::nanoseconds slice) noexcept {
#ifdef SYS_sched_setattr
    struct { // sched_attr of linux/sched/types.h, which not all systems have
        std::uint32_t size;
        std::uint32_t policy; ///< 0: SCHED_OTHER
        std::uint64_t flags;
        std::int32_t nice;
        std::uint32_t priority;
        std::uint64_t runtime; ///< nanoseconds
        std::uint64_t deadline;
        std::uint64_t period;
    } wish = {sizeof wish, 0, 0, getpriority(PRIO_PROCESS, 0), 0, 0, 0, 0};
    wish.runtime = static_cast<std::uint64_t>(slice.count());
    static_cast<void>(syscall(SYS_sched_setattr, 0, &wish, 0U));
#else
    static_cast<void>(slice);
#endif
}

} // namespace tenfold::server
