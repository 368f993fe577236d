// From exceptions and statuses to TAPP's codes, and the last failure of each thread.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <tenfold/error.hpp>

#include "tenfold/tapp/tapp/tenfold.h"

namespace tenfold::tapp_impl {

/// A code with the message that explains it.
class failure : public std::runtime_error {
public:
    failure(TAPP_error code, const std::string &message)
        : std::runtime_error(message), code_(code) {}
    TAPP_error code() const noexcept { return code_; }

private:
    TAPP_error code_;
};

/// Keep what failed as the thread's last failure, and return its code.
TAPP_error keep(TAPP_error code, const std::string &message) noexcept;
TAPP_error keep_exception() noexcept;
TAPP_error keep_status(const status &failed) noexcept;

/// The number of the thread's last failure; the next ones have others, also of other threads.
std::uint32_t number_of_last_failure() noexcept;

/// One sentence about a code.
const char *sentence_about(TAPP_error code) noexcept;

/// Runs work(), which returns nothing or a code. No exception leaves it.
template <class Work> TAPP_error guarded(const Work &work) noexcept {
    try {
        if constexpr (std::is_void_v<decltype(work())>)
            work();
        else
            return work();
        return TENFOLD_TAPP_OK;
    } catch (...) {
        return keep_exception();
    }
}

/// Refuses null: "extents is null".
inline void require(const void *given, const char *what) {
    if (given == nullptr)
        throw failure(TENFOLD_TAPP_NULL_POINTER, std::string(what) + " is null");
}

} // namespace tenfold::tapp_impl
