// What processes below a launcher say about its ranks. The launcher is a shell, the ranks are
// sleep.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apps/server/launcher_processes.hpp"

namespace tenfold::server {
namespace {

using namespace std::chrono_literals;
using time_point = launcher_processes::time_point;

std::string path_of(const char *program) {
    const std::unique_ptr<char, decltype(&std::free)> whole(realpath(program, nullptr), &std::free);
    return whole ? whole.get() : "";
}

/// A shell that runs `script` with `variables`, until it is destroyed.
class shell {
public:
    explicit shell(const std::string &script, const std::string &variables = "") {
        const std::string line = "env -i " + variables + " PATH=\"$PATH\" sh -c '" + script + "'";
        if (pipe(input_) != 0)
            std::abort();
        pid_ = fork();
        if (pid_ == 0) {
            setpgid(0, 0);
            dup2(input_[0], STDIN_FILENO);
            execl("/bin/sh", "sh", "-c", ("exec " + line).c_str(), nullptr);
            _exit(1);
        }
        setpgid(pid_, pid_);
    }
    ~shell() {
        kill(-pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
        close(input_[0]);
        close(input_[1]);
    }
    shell(const shell &) = delete;
    shell &operator=(const shell &) = delete;
    pid_t pid() const { return pid_; }

private:
    int input_[2];
    pid_t pid_;
};

const std::string sleeps = path_of("/bin/sleep");

/// Looks until as many processes live as there should be, all but `others` of them ranks.
void await(launcher_processes &seen, std::ptrdiff_t processes, time_point now,
           std::ptrdiff_t others = 1) {
    for (;; std::this_thread::sleep_for(1ms)) {
        seen.look(now);
        const auto &all = seen.alive();
        const auto runs_sleep = [](pid_t one) {
            return path_of(("/proc/" + std::to_string(one) + "/exe").c_str()) == sleeps;
        };
        if (std::ssize(all) == processes &&
            std::count_if(all.begin(), all.end(), runs_sleep) == processes - others)
            break;
    }
    seen.look(now); // all of them run what they should
}

const std::string begin_two_ranks = "sleep 1000 & sleep 1000 & ";
const std::string go_on = "read -r nothing"; // no process is needed for it
const std::string here = "OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=2";
const time_point start;

/// Ends all but the launcher. It does not ask how they ended: they stay as zombies.
void end_ranks(launcher_processes &seen, time_point now) {
    for (std::size_t i = 1; i < seen.alive().size(); ++i)
        kill(seen.alive()[i], SIGKILL);
    await(seen, 1, now);
}

TEST(LauncherProcesses, TellSinceWhenAllRanksAreGone) {
    for (const std::string &variables :
         {here, std::string("PMI_SIZE=2 MPI_LOCALNRANKS=2"), std::string()}) {
        const shell launcher(begin_two_ranks + go_on, variables);
        launcher_processes seen(launcher.pid(), sleeps);
        await(seen, 3, start);
        EXPECT_TRUE(seen.has_seen_rank());
        EXPECT_EQ(seen.ranks_gone_since(), std::nullopt);
        kill(seen.alive()[1], SIGKILL);
        await(seen, 2, start + 2s);
        EXPECT_EQ(seen.ranks_gone_since(), std::nullopt) << "one is left";
        end_ranks(seen, start + 3s);
        EXPECT_EQ(seen.ranks_gone_since(), start + 3s) << variables;
        seen.look(start + 9s);
        EXPECT_EQ(seen.ranks_gone_since(), start + 3s);
        EXPECT_EQ(seen.alive(), std::vector<pid_t>{launcher.pid()});
    }
}

TEST(LauncherProcesses, LetLiveWhatStartsRanksElsewhere) {
    for (const char *variables : {"OMPI_COMM_WORLD_SIZE=3 OMPI_COMM_WORLD_LOCAL_SIZE=2",
                                  "PMI_SIZE=3 MPI_LOCALNRANKS=2", "PMI_SIZE=3", "PMIX_RANK=0"}) {
        const shell launcher(begin_two_ranks + go_on, variables);
        launcher_processes seen(launcher.pid(), sleeps);
        await(seen, 3, start);
        end_ranks(seen, start + 2s);
        EXPECT_TRUE(seen.has_seen_rank());
        EXPECT_EQ(seen.ranks_gone_since(), std::nullopt) << variables;
    }
}

/// Such as an agent, or what a script does when the ranks have ended.
TEST(LauncherProcesses, LetLiveWhatHasOtherProcesses) {
    const shell launcher(begin_two_ranks + "tail -f /dev/null & " + go_on, here);
    launcher_processes seen(launcher.pid(), sleeps);
    await(seen, 4, start, 2);
    const auto all = seen.alive();
    for (const pid_t one : all)
        if (one != launcher.pid() &&
            path_of(("/proc/" + std::to_string(one) + "/exe").c_str()) == sleeps)
            kill(one, SIGKILL);
    await(seen, 2, start + 2s, 2);
    EXPECT_EQ(seen.ranks_gone_since(), std::nullopt);
    end_ranks(seen, start + 3s); // now the other one, too
    EXPECT_EQ(seen.ranks_gone_since(), start + 3s);
}

TEST(LauncherProcesses, LetLiveWhatNeverHadARank) {
    const shell launcher(begin_two_ranks + go_on, here);
    launcher_processes seen(launcher.pid(), "/nothing/runs/this");
    await(seen, 3, start);
    end_ranks(seen, start + 1s);
    EXPECT_FALSE(seen.has_seen_rank());
    EXPECT_EQ(seen.ranks_gone_since(), std::nullopt);
}

TEST(LauncherProcesses, FindRanksBelowOthers) {
    const shell launcher("sh -c \"" + begin_two_ranks + "wait\" & " + go_on, here);
    launcher_processes seen(launcher.pid(), sleeps);
    await(seen, 4, start, 2);
    EXPECT_EQ(seen.ranks_gone_since(), std::nullopt);
    end_ranks(seen, start + 2s);
    EXPECT_EQ(seen.ranks_gone_since(), start + 2s);
}

} // namespace
} // namespace tenfold::server
