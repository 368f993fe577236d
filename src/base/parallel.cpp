#include "base/parallel.hpp"

#include <chrono>

#include <pthread.h>
#include <sched.h>

namespace tenfold::base {
namespace {

/// Tells the core that this thread spins.
inline void pause() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
#endif
}

/// Takes some microseconds; threads that share work evenly arrive within them.
constexpr int pauses_alone = 200;
/// Spins between two calls that yield the core.
constexpr int pauses_between_yields = 20;
/// About the time to fall asleep and be woken. A thread that spins at most this long before it
/// sleeps loses at most twice the optimum (Karlin, Li, Manasse, Owicki, Empirical studies of
/// competitive spinning for a shared-memory multiprocessor, SOSP 1991).
constexpr auto longest_spin = std::chrono::microseconds(50);

thread_local bool started_a_team = false;
thread_local bool team_is_gone = false;

/// Runs in the child, on the thread that called fork().
void remember_in_child() noexcept { team_is_gone = started_a_team; }

} // namespace

void team_barrier::wait(int members) noexcept {
    const std::uint32_t round = round_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == members) {
        arrived_.store(0, std::memory_order_relaxed);
        // notify_all() reads the number of sleepers and makes no system call if there are none.
        // Sequential consistency keeps that read behind the store: otherwise a thread that falls
        // asleep in between would never be woken.
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

constinit thread_local team_bound *team_bound::current_ = nullptr;

bool may_start_team() noexcept {
    [[maybe_unused]] static const int registered =
        pthread_atfork(nullptr, nullptr, remember_in_child);
    if (team_is_gone)
        return false;
    started_a_team = true;
    return true;
}

} // namespace tenfold::base
