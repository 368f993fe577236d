#include "apps/tenfold/own_child.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>

#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tenfold/error.hpp>

namespace tenfold::apps_impl {
namespace {

[[noreturn]] void cannot(int problem) {
    throw error(errc::io, std::string("the child process that reads the file cannot be started: ") +
                              std::strerror(problem));
}

/// An unnamed temporary file that the child writes and the parent reads after the child has ended.
/// Unlike a pipe it never makes one of them wait for the other.
class collected_output {
public:
    collected_output() : file_(std::tmpfile()) {
        if (!file_)
            cannot(errno);
    }
    int descriptor() const noexcept { return fileno(file_.get()); }
    std::string text() const {
        std::string all;
        std::array<char, 4096> part{};
        std::rewind(file_.get());
        while (const std::size_t size = std::fread(part.data(), 1, part.size(), file_.get()))
            all.append(part.data(), size);
        return all;
    }

private:
    struct closer {
        void operator()(std::FILE *file) const noexcept { std::fclose(file); }
    };
    std::unique_ptr<std::FILE, closer> file_;
};

class file_actions {
public:
    file_actions() { posix_spawn_file_actions_init(&actions_); }
    ~file_actions() { posix_spawn_file_actions_destroy(&actions_); }
    file_actions(const file_actions &) = delete;
    file_actions &operator=(const file_actions &) = delete;
    posix_spawn_file_actions_t *get() noexcept { return &actions_; }

private:
    posix_spawn_file_actions_t actions_{};
};

} // namespace

child_result run_own_child(const std::vector<std::string> &arguments) {
    const collected_output out, err;
    file_actions actions;
    posix_spawn_file_actions_adddup2(actions.get(), out.descriptor(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(actions.get(), err.descriptor(), STDERR_FILENO);
    std::vector<std::string> words = {"tenfold"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char *> argv;
    for (std::string &word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);

    // A crash is expected, so that the child writes no core file.
    struct rlimit core {};
    if (getrlimit(RLIMIT_CORE, &core) == 0) {
        core.rlim_cur = 0;
        static_cast<void>(setrlimit(RLIMIT_CORE, &core));
    }
    pid_t child = 0;
    const int problem =
        posix_spawn(&child, "/proc/self/exe", actions.get(), nullptr, argv.data(), environ);
    if (problem != 0)
        cannot(problem);
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            cannot(errno);
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 1, signal, out.text(), err.text()};
}

std::string signal_name(int signal) {
    switch (signal) {
    case SIGSEGV:
        return "SIGSEGV";
    case SIGABRT:
        return "SIGABRT";
    case SIGBUS:
        return "SIGBUS";
    case SIGFPE:
        return "SIGFPE";
    case SIGILL:
        return "SIGILL";
    default:
        return "signal " + std::to_string(signal);
    }
}

} // namespace tenfold::apps_impl
