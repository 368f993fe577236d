#include "apps/common/program.hpp"

#include <chrono>
#include <cstdio>
#include <new>
#include <thread>

#include <tenfold/error.hpp>

#include "apps/common/launcher.hpp"

namespace tenfold::apps_impl {
namespace {

/// Launchers end all ranks when one exits with an error. The other ranks wait this long before they
/// exit, so that the first rank can print its message.
constexpr std::chrono::milliseconds head_start_of_first_rank{500};

constexpr const char *stopped_text = "stopped; files are what they were";

int report(std::string_view program, const char *message, int exit_status) noexcept {
    if (launched_rank() != 0) {
        std::this_thread::sleep_for(head_start_of_first_rank);
    } else {
        std::fprintf(stderr, "%.*s: error: %s\n", static_cast<int>(program.size()), program.data(),
                     message);
        if (exit_status == exit_wrong_usage)
            std::fprintf(stderr, "Try '%.*s --help'.\n", static_cast<int>(program.size()),
                         program.data());
    }
    return exit_status;
}

} // namespace

int exit_status_of(const std::exception &problem) noexcept {
    if (dynamic_cast<const usage_error *>(&problem) != nullptr)
        return exit_wrong_usage;
    if (dynamic_cast<const to_be_continued *>(&problem) != nullptr)
        return exit_to_be_continued;
    const auto *known = dynamic_cast<const error *>(&problem);
    switch (known == nullptr ? errc::ok : known->code()) {
    case errc::syntax:
    case errc::unknown_label:
    case errc::repeated_label:
    case errc::order_mismatch:
    case errc::extent_mismatch:
    case errc::type_mismatch:
    case errc::invalid_argument:
        return exit_wrong_usage;
    case errc::stopped:
        return exit_stopped;
    default:
        return exit_failure;
    }
}

int run_program(std::string_view program, const std::function<int()> &body) noexcept {
    const launched_mpi mpi;
    try {
        if (under_launcher())
            refuse_launcher_of_another_mpi(launched_ranks(), mpi.name_and_version());
        const int result = body();
        // A full disk or a closed pipe must not look like success.
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
            return report(program, "cannot write to standard output", exit_failure);
        return result;
    } catch (const std::bad_alloc &) {
        return report(program, "out of memory", exit_failure);
    } catch (const std::exception &problem) {
        std::fflush(stdout);
        const int status = exit_status_of(problem);
        return report(program, status == exit_stopped ? stopped_text : problem.what(), status);
    } catch (...) {
        return report(program, "unknown error", exit_failure);
    }
}

std::string join_choices(const std::vector<std::string> &choices) {
    std::string text;
    for (std::size_t i = 0; i < choices.size(); ++i)
        text += (i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ") + choices[i];
    return text;
}

} // namespace tenfold::apps_impl
