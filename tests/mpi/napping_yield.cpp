// Replaces sched_yield(). MPI libraries and Tenfold wait by polling, and call sched_yield() in
// between. If other programs compute, each yield gives them a whole time slice: thousands of short
// waits then take a hundred times as long, and tests of a second take minutes. A rank that sleeps
// instead is woken soon.
#include <chrono>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

using clock_type = std::chrono::steady_clock;

/// Ranks that only wait give the core back after this time.
constexpr std::chrono::microseconds a_turn{500};
constexpr std::chrono::seconds busy_for{2};

} // namespace

extern "C" int sched_yield() noexcept {
    static thread_local clock_type::time_point naps_until;
    const auto begin = clock_type::now();
    if (begin < naps_until) {
        usleep(20);
        return 0;
    }
    const long result = syscall(SYS_sched_yield);
    const auto end = clock_type::now();
    if (end - begin > a_turn)
        naps_until = end + busy_for;
    return static_cast<int>(result);
}
