// Checks of what callers pass in options: numbers of threads, workspace limits, and values of
// enumerations, for which a caller may have cast any number.
#pragma once

#include <string>
#include <string_view>

#include <tenfold/error.hpp>
#include <tenfold/types.hpp>

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

/// Checks a limit from options or settings. Throws errc::invalid_argument: "workspace_limit is -1
/// bytes; it is 0 or more".
inline void check_workspace_limit(byte_count given) {
    if (given.value < 0)
        throw error(errc::invalid_argument, "workspace_limit is " + std::to_string(given.value) +
                                                " bytes; it is 0 or more");
}

/// Checks that data_type, tuning, algorithm, backend or isa has this value; of data types, that it
/// is no integer. Messages name the value
/// `what` and the function `function`. Throws errc::invalid_argument: "gemm: backend is 77; there
/// are native (0), blis (1)".
template <class E>
void check_enumerator(E value, std::string_view what, const char *function = nullptr);

/// "f32, f64, c32, c64, bf16 or f16", where `last` is "or".
std::string element_type_names(std::string_view last);
/// "f32, f64, c32 or c64": of those that multiply as they are.
std::string arithmetic_type_names(std::string_view last);

} // namespace tenfold::base
