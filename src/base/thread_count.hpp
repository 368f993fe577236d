// How many threads may be asked for.
#pragma once

#include <string>

#include <tenfold/error.hpp>

namespace tenfold::base {

/// More than machines have. OpenMP's run time keeps a record of each thread of a team on the stack
/// of whoever starts them, and crashes where they do not fit.
constexpr int most_threads = 4096;

/// `given` in somebody's options, where 0 means the context's. Throws errc::invalid_argument:
/// "gemm: threads is -1; it is 0 to 4096".
inline void check_threads(int given, const char *function = nullptr) {
    if (given < 0 || given > most_threads)
        throw error(errc::invalid_argument,
                    (function == nullptr ? "" : std::string(function) + ": ") + "threads is " +
                        std::to_string(given) + "; it is 0 to " + std::to_string(most_threads));
}

} // namespace tenfold::base
