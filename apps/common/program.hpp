// What all programs do alike: exit statuses and error messages.
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
constexpr int exit_stopped = 130; ///< by Ctrl-C, as shells have it

/// The command line cannot be served as it was given: exit status 2.
class usage_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Anything else that went wrong, a failed verification included: exit status 1.
class failure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// 2 when what the user wrote cannot be meant, 130 when the user stopped it, 1 for all else.
int exit_status_of(const std::exception &problem) noexcept;

/// Runs `body` and returns its result as the exit status; an exception becomes one message on
/// stderr, "tenfold contract: error: ...", and exit status 1 or 2. Below a launcher MPI is
/// initialised for as long as that takes, and of several ranks only the first prints, since all of
/// them meet the same error.
int run_program(std::string_view program, const std::function<int()> &body) noexcept;

/// "a, b or c".
std::string join_choices(const std::vector<std::string> &choices);

} // namespace tenfold::apps_impl
