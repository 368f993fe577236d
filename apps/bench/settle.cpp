#include "apps/bench/settle.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <unistd.h>

namespace tenfold::apps_impl {
namespace {

using clock = std::chrono::steady_clock;

/// The pause between two looks at the threads; a look costs some microseconds of memory traffic.
constexpr std::chrono::microseconds between_looks{200};
/// A thread may have woken another one that had been looked at already, so that all must be seen
/// asleep twice.
constexpr int quiet_looks = 2;
constexpr std::chrono::milliseconds blind_wait{100};

void stay_awake(clock::duration time) {
    const auto end = clock::now() + time;
    while (clock::now() < end) {
    }
}

/// The file reads "1234 (name) R ...": the state follows the name, which may contain any character.
bool runs(const std::filesystem::path &task) {
    std::ifstream file(task / "stat");
    std::string text;
    std::getline(file, text, '\0');
    const std::size_t name_end = text.rfind(") ");
    return name_end != std::string::npos && text.compare(name_end + 2, 1, "R") == 0;
}

/// Empty if the system does not report it.
std::optional<bool> other_threads_run() {
    const std::string own = std::to_string(gettid());
    std::error_code problem;
    std::filesystem::directory_iterator tasks("/proc/self/task", problem);
    if (problem)
        return std::nullopt;
    for (; tasks != std::filesystem::directory_iterator(); tasks.increment(problem)) {
        if (problem)
            return std::nullopt;
        if (tasks->path().filename() != own && runs(tasks->path()))
            return true;
    }
    return false;
}

} // namespace

bool settle(std::chrono::milliseconds at_most) {
    const auto end = clock::now() + at_most;
    for (int quiet = 0; quiet < quiet_looks;) {
        const std::optional<bool> running = other_threads_run();
        if (!running) {
            stay_awake(std::min(blind_wait, at_most));
            return true;
        }
        quiet = *running ? 0 : quiet + 1;
        if (*running && clock::now() >= end)
            return false;
        stay_awake(between_looks);
    }
    return true;
}

} // namespace tenfold::apps_impl
