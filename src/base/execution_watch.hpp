// Tells whether what an execution took says something about the machine.
#pragma once

#include <chrono>
#include <optional>

namespace tenfold::base {

/// Begins with its construction.
class execution_watch {
public:
    execution_watch() noexcept;

    /// Returns the seconds since then; nothing if memory was touched for the first time meanwhile,
    /// whose pages the system then clears, or if the team of `threads` was often without a core.
    std::optional<double> undisturbed_seconds(int threads) const noexcept;

private:
    /// Of the whole process.
    struct usage {
        double cpu_seconds;
        long page_faults;

        static usage now() noexcept;
    };

    usage before_;
    std::chrono::steady_clock::time_point start_;
};

} // namespace tenfold::base
