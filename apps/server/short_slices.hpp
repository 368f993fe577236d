// For threads that work for a moment at a time, beside others that compute for as long as they may.
#pragma once

#include <cstdint>

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tenfold::server {

/// Asks Linux to run this thread as soon as it wakes, for at most 0.5 ms before others have their
/// turn: threads that compute have slices of at least 0.7 ms, for which it would wait where all
/// cores compute. Linux before 6.12 ignores it; no right is needed for it.
inline void ask_for_short_slices() noexcept {
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
    } wish = {sizeof wish, 0, 0, getpriority(PRIO_PROCESS, 0), 0, 500000, 0, 0};
    static_cast<void>(syscall(SYS_sched_setattr, 0, &wish, 0U));
#endif
}

} // namespace tenfold::server
