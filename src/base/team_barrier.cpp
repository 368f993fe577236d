#include "base/team_barrier.hpp"

#include <chrono>

#include <sched.h>

namespace tenfold::base {
namespace {

/// What a core does while it waits for a line of memory to change.
inline void pause() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
#endif
}

/// Some microseconds: threads that share work evenly arrive within them.
constexpr int pauses_alone = 200;
/// Between two offers of the core to somebody else.
constexpr int pauses_between_yields = 20;
/// About what falling asleep and being woken takes: who waits as long at most before sleeping loses
/// at most twice what the best choice would have cost (Karlin, Li, Manasse, Owicki, Empirical
/// studies of competitive spinning for a shared-memory multiprocessor, SOSP 1991).
constexpr auto longest_spin = std::chrono::microseconds(50);

} // namespace

void team_barrier::wait(int members) noexcept {
    const std::uint32_t round = round_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == members) {
        arrived_.store(0, std::memory_order_relaxed);
        // notify_all() makes no system call where nobody sleeps: it reads how many do. That must
        // not happen before others see the new round, or one that falls asleep meanwhile is never
        // woken.
        round_.store(round + 1, std::memory_order_seq_cst);
        round_.notify_all();
        return;
    }
    for (int i = 0; i < pauses_alone; ++i) {
        if (passed(round))
            return;
        pause();
    }
    const auto end = std::chrono::steady_clock::now() + longest_spin;
    do {
        sched_yield();
        for (int i = 0; i < pauses_between_yields; ++i) {
            if (passed(round))
                return;
            pause();
        }
    } while (std::chrono::steady_clock::now() < end);
    while (!passed(round))
        round_.wait(round, std::memory_order_acquire);
}

} // namespace tenfold::base
