// From exceptions and statuses to the codes of the C interface, and the last error of each thread.
#pragma once

#include <string>
#include <type_traits>

#include <tenfold/c/error.h>
#include <tenfold/error.hpp>

namespace tenfold::capi_impl {

/// Thrown where a caller's progress function asks for a stop.
struct stopped_by_progress {};

/// Keeps the exception that is being handled as the thread's last error. Returns its code.
tenfold_error keep_exception() noexcept;
/// The same for a status that is not ok.
tenfold_error keep_status(const status &failed) noexcept;

/// Runs `work`, which returns nothing or a status. No exception leaves it.
template <class Work> tenfold_error guarded(const Work &work) noexcept {
    try {
        if constexpr (std::is_void_v<decltype(work())>)
            work();
        else if (const status result = work(); !result)
            return keep_status(result);
        return TENFOLD_OK;
    } catch (...) {
        return keep_exception();
    }
}

[[noreturn]] inline void refuse(const std::string &message) {
    throw error(errc::invalid_argument, message);
}

/// Refuses NULL: "plan is NULL".
inline void require(const void *given, const char *what) {
    if (given == nullptr)
        refuse(std::string(what) + " is NULL");
}

} // namespace tenfold::capi_impl
