#include "support/watchdog.hpp"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <thread>

#include <execinfo.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tenfold::testing {
namespace {

constexpr int where_are_you = SIGUSR2;

std::atomic<int> answers = 0;

void on_question(int) {
    void *frames[64];
    backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
    ++answers;
}

/// Processor seconds of this process. Even on a busy machine, a program that computes gets more
/// than `standing_still` of them.
double processor_seconds() {
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}
constexpr double standing_still = 0.05;

bool has_children() {
    siginfo_t none{};
    return waitid(P_ALL, 0, &none, WEXITED | WNOHANG | WNOWAIT) == 0;
}

void print_stacks() {
    const long own = syscall(SYS_gettid);
    for (const auto &entry : std::filesystem::directory_iterator("/proc/self/task")) {
        const long thread = std::stol(entry.path().filename().string());
        if (thread == own)
            continue;
        std::fprintf(stderr, "stack of thread %ld:\n", thread);
        const int before = answers;
        if (syscall(SYS_tgkill, getpid(), thread, where_are_you) != 0)
            continue;
        for (int nap = 0; nap < 1000 && answers == before; ++nap)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

void watch(std::chrono::seconds limit) {
    auto moved = std::chrono::steady_clock::now();
    double used = processor_seconds();
    while (true) {
        std::this_thread::sleep_for(std::min(limit, std::chrono::seconds(1)));
        const auto now = std::chrono::steady_clock::now();
        if (processor_seconds() - used > standing_still || has_children()) {
            used = processor_seconds();
            moved = now;
        }
        if (now - moved < limit)
            continue;
        std::fprintf(stderr, "no progress for %lld s\n", static_cast<long long>(limit.count()));
        print_stacks();
        std::abort();
    }
}

} // namespace

void watch_for_hangs(std::chrono::seconds limit) {
    if (const char *asked = std::getenv("TENFOLD_TEST_WATCHDOG"))
        limit = std::chrono::seconds(std::atoi(asked));
    if (limit.count() <= 0)
        return;
    void *frame[1];
    backtrace(frame, 1); // loads a library, which a signal handler must not do
    struct sigaction on_signal {};
    on_signal.sa_flags = SA_RESTART;
    on_signal.sa_handler = on_question;
    sigaction(where_are_you, &on_signal, nullptr);
    std::thread(watch, limit).detach();
}

} // namespace tenfold::testing
