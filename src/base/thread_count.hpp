// Checks a number of threads.
#pragma once

#include <string>

#include <tenfold/error.hpp>

namespace tenfold::base {

/// More than any machine has. OpenMP's run time keeps a record per thread on the stack of the
/// thread that starts a team, and crashes if they do not fit.
constexpr int most_threads = 4096;

/// Checks a number of threads in options, where 0 means the context's. Throws
/// errc::invalid_argument: "gemm: threads is -1; it is 0 to 4096".
inline void check_threads(int given, const char *function = nullptr) {
    if (given < 0 || given > most_threads)
        throw error(errc::invalid_argument,
                    (function == nullptr ? "" : std::string(function) + ": ") + "threads is " +
                        std::to_string(given) + "; it is 0 to " + std::to_string(most_threads));
}

} // namespace tenfold::base
