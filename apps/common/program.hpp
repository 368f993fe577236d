// Exit statuses and error messages, which all programs share.
#pragma once

#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tenfold::apps_impl {

constexpr int exit_success = 0;
constexpr int exit_failure = 1;
constexpr int exit_wrong_usage = 2;
constexpr int exit_to_be_continued = 75; ///< EX_TEMPFAIL of <sysexits.h>: saved, then ended
constexpr int exit_stopped = 130;        ///< by Ctrl-C, as in shells

/// A mistake in the command line: exit status 2.
class usage_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Any other error, including a failed verification: exit status 1.
class failure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A signal asked the program to end, and it has saved a checkpoint from which it can go on: exit
/// status 75.
class to_be_continued : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Returns 2 for mistakes of the user, 130 if the user stopped the program, 75 for
/// to_be_continued, and 1 for all other errors.
int exit_status_of(const std::exception &problem) noexcept;

/// Runs `body` and returns its result as the exit status. An exception becomes one message on
/// stderr, "tenfold contract: error: ...", and exit status 1 or 2. Below a launcher it initialises
/// MPI around `body`. Only the first of several ranks prints, because all of them have the same
/// error.
int run_program(std::string_view program, const std::function<int()> &body) noexcept;

/// Returns "a, b or c".
std::string join_choices(const std::vector<std::string> &choices);

} // namespace tenfold::apps_impl
