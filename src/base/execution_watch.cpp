#include "base/execution_watch.hpp"

#include <sys/resource.h>

namespace tenfold::base {

execution_watch::usage execution_watch::usage::now() noexcept {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval &time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return {seconds(used.ru_utime) + seconds(used.ru_stime), used.ru_minflt + used.ru_majflt};
}

execution_watch::execution_watch() noexcept
    : before_(usage::now()), start_(std::chrono::steady_clock::now()) {}

std::optional<double> execution_watch::undisturbed_seconds(int threads) const noexcept {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start_;
    const usage after = usage::now();
    constexpr long some_faults = 16; // a new team's stacks; a huge page is one fault of 2 MiB
    constexpr double enough_of_cores = 0.8; // members wait for the last one
    if (after.page_faults - before_.page_faults > some_faults ||
        after.cpu_seconds - before_.cpu_seconds < enough_of_cores * threads * taken.count())
        return std::nullopt;
    return taken.count();
}

} // namespace tenfold::base
