#include "apps/server/supervise.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apps/common/program.hpp"

namespace tenfold::server {
namespace {

using clock = std::chrono::steady_clock;

/// A server that died sooner has perhaps nothing that a further start would mend.
constexpr std::chrono::seconds soon{10};
constexpr int most_soon = 5;
constexpr timespec pause_between{
    1, 0}; ///< before a further start: ranks of the former may be about to end

[[noreturn]] void fail(const char *what) {
    throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

/// The launcher, in a process group of its own, which a terminal's Ctrl-C does not reach.
class launched {
public:
    launched(const std::vector<char *> &words, const sigset_t &blocked) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0)
            fail("no pipe");
        pid_ = fork();
        if (pid_ == 0) {
            setpgid(0, 0);
            dup2(ends[0], STDIN_FILENO);
            sigprocmask(SIG_UNBLOCK, &blocked, nullptr);
            execv(words[0], words.data());
            _exit(apps_impl::exit_failure);
        }
        const int cause = errno;
        close(ends[0]);
        input_ = ends[1];
        if (pid_ < 0) {
            close(input_);
            errno = cause;
            fail("no process");
        }
        setpgid(pid_, pid_); // whoever of both comes first
    }
    ~launched() { close_input(); }
    launched(const launched &) = delete;
    launched &operator=(const launched &) = delete;

    void close_input() {
        if (input_ >= 0)
            close(input_);
        input_ = -1;
    }
    void pass_on(int signal) const { kill(-pid_, signal); }
    /// The exit status, or 128 and the signal, if it has ended.
    bool has_ended(int *status) const {
        int how = 0;
        if (waitpid(pid_, &how, WNOHANG) != pid_)
            return false;
        *status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
        return true;
    }

private:
    pid_t pid_ = -1;
    int input_ = -1;
};

} // namespace

int supervise(const std::string &launcher, const std::vector<std::string> &arguments) {
    // sh runs: exec LAUNCHER "$@", with "$@" = this program and its arguments.
    std::vector<std::string> texts = {"/bin/sh", "-c", "exec " + launcher + " \"$@\"", "sh",
                                      std::filesystem::read_symlink("/proc/self/exe").string()};
    texts.insert(texts.end(), arguments.begin(), arguments.end());
    texts.emplace_back("--supervised");
    std::vector<char *> words;
    for (std::string &one : texts)
        words.push_back(one.data());
    words.push_back(nullptr);

    sigset_t watched;
    sigemptyset(&watched);
    for (const int signal : {SIGINT, SIGTERM, SIGCHLD})
        sigaddset(&watched, signal);
    sigprocmask(SIG_BLOCK, &watched, nullptr);
    bool is_ending = false;
    for (int deaths = 0;;) {
        const clock::time_point start = clock::now();
        launched server(words, watched);
        int status = 0;
        while (!server.has_ended(&status)) {
            int signal = 0;
            sigwait(&watched, &signal);
            if (signal == SIGCHLD)
                continue;
            if (is_ending)
                server.pass_on(signal);
            server.close_input();
            is_ending = true;
        }
        deaths = clock::now() - start < soon ? deaths + 1 : 0;
        if (status == apps_impl::exit_success || status == apps_impl::exit_wrong_usage ||
            is_ending || deaths == most_soon)
            return status;
        std::fprintf(stderr, "tenfold-server: it ended with status %d; it starts again\n", status);
        siginfo_t how{};
        sigset_t ends = watched;
        sigdelset(&ends, SIGCHLD);
        if (sigtimedwait(&ends, &how, &pause_between) > 0)
            return status;
    }
}

} // namespace tenfold::server
