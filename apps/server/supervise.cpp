#include "apps/server/supervise.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apps/common/program.hpp"
#include "apps/server/launcher_processes.hpp"

namespace tenfold::server {
namespace {

using clock = std::chrono::steady_clock;

/// A server that died sooner has perhaps nothing that a further start would mend.
constexpr std::chrono::seconds soon{10};
constexpr int most_soon = 5;
constexpr timespec pause_between{
    1, 0}; ///< before a further start: ranks of the former may be about to end

/// Between looks at the launcher's processes: ranks that die early are seen, later ones cost
/// little.
constexpr timespec between_early_looks{0, 100'000'000};
constexpr timespec between_looks{1, 0};
/// A launcher that lives so much longer than its ranks does not end by itself: Open MPI's waits for
/// a lock for ever in rare cases. It is asked to end, and killed where that does not help.
constexpr std::chrono::seconds patience_with_launcher{10};
constexpr std::chrono::seconds patience_until_killed{15};

[[noreturn]] void fail(const char *what) {
    throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

/// The launcher, in a process group of its own, which a terminal's Ctrl-C does not reach.
class launched {
public:
    launched(const std::vector<char *> &words, const std::string &program,
             const sigset_t &blocked) {
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
        processes_.emplace(pid_, program);
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
    timespec until_next_look() const {
        return processes_->has_seen_rank() || clock::now() - start_ > soon ? between_looks
                                                                           : between_early_looks;
    }
    /// Ends the launcher if its ranks have all ended long ago.
    void end_if_it_outlives_ranks() {
        processes_->look(clock::now());
        const auto since = processes_->ranks_gone_since();
        if (!since)
            return;
        const auto gone = clock::now() - *since;
        if (gone >= patience_until_killed && ended_by_ == SIGTERM)
            end_by(SIGKILL, "it is killed");
        else if (gone >= patience_with_launcher && ended_by_ == 0)
            end_by(SIGTERM, "it gets SIGTERM");
    }
    /// How long it lived; where it outlived its ranks, how long these did.
    clock::duration life() const {
        return processes_->ranks_gone_since().value_or(clock::now()) - start_;
    }

private:
    void end_by(int signal, const char *what) {
        std::fprintf(
            stderr, "tenfold-server: all ranks have ended, but their launcher has not; %s\n", what);
        ended_by_ = signal;
        for (const pid_t one : processes_->alive()) // some are in groups of their own
            kill(one, signal);
    }

    clock::time_point start_ = clock::now();
    pid_t pid_ = -1;
    int input_ = -1;
    int ended_by_ = 0;
    std::optional<launcher_processes> processes_;
};

} // namespace

int supervise(const std::string &launcher, const std::vector<std::string> &arguments) {
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    // sh runs: exec LAUNCHER "$@", with "$@" = this program and its arguments.
    std::vector<std::string> texts = {"/bin/sh", "-c", "exec " + launcher + " \"$@\"", "sh",
                                      program};
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
        launched server(words, program, watched);
        int status = 0;
        while (!server.has_ended(&status)) {
            const timespec longest = server.until_next_look();
            const int signal = sigtimedwait(&watched, nullptr, &longest);
            if (signal < 0)
                server.end_if_it_outlives_ranks();
            if (signal < 0 || signal == SIGCHLD)
                continue;
            if (is_ending)
                server.pass_on(signal);
            server.close_input();
            is_ending = true;
        }
        deaths = server.life() < soon ? deaths + 1 : 0;
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
