#include "apps/program.hpp"

#include <cstdio>
#include <new>

#include <tenfold/error.hpp>

#include "apps/launcher.hpp"

namespace tenfold::apps_impl {
namespace {

/// What the user wrote cannot be meant (2), or it could but did not work out (1).
int exit_status_of(errc code) noexcept {
    switch (code) {
    case errc::syntax:
    case errc::unknown_label:
    case errc::repeated_label:
    case errc::order_mismatch:
    case errc::extent_mismatch:
    case errc::type_mismatch:
    case errc::invalid_argument:
        return exit_wrong_usage;
    default:
        return exit_failure;
    }
}

int report(std::string_view program, const char *message, int exit_status) noexcept {
    if (launched_rank() == 0) {
        std::fprintf(stderr, "%.*s: error: %s\n", static_cast<int>(program.size()), program.data(),
                     message);
        if (exit_status == exit_wrong_usage)
            std::fprintf(stderr, "Try '%.*s --help'.\n", static_cast<int>(program.size()),
                         program.data());
    }
    return exit_status;
}

} // namespace

int run_program(std::string_view program, const std::function<int()> &body) noexcept {
    try {
        const int result = body();
        // A full disk or a closed pipe must not look like success.
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
            return report(program, "cannot write to standard output", exit_failure);
        return result;
    } catch (const usage_error &problem) {
        return report(program, problem.what(), exit_wrong_usage);
    } catch (const error &problem) {
        return report(program, problem.what(), exit_status_of(problem.code()));
    } catch (const std::bad_alloc &) {
        return report(program, "out of memory", exit_failure);
    } catch (const std::exception &problem) {
        return report(program, problem.what(), exit_failure);
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
