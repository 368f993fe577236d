// The processes below a launcher, such as mpirun, on this machine: whether it outlives its ranks.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace tenfold::server {

/// Tells when all ranks of a launcher have ended. It does so only where they all ran on this
/// machine, as the launcher told them (by variables of Open MPI or Hydra, or by none where there is
/// no launcher) and where nothing lives that never had a rank below it: that may be an agent which
/// starts ranks elsewhere, or whatever a script does before and after. Without Linux's lists of
/// children in /proc it never does.
class launcher_processes {
public:
    using time_point = std::chrono::steady_clock::time_point;

    /// `program` is the path of what the ranks run, as /proc/PID/exe shows it.
    launcher_processes(pid_t launcher, std::string program)
        : launcher_(launcher), program_(std::move(program)) {}

    /// Looks at the processes as they are now.
    void look(time_point now);

    bool has_seen_rank() const { return !ranks_.empty(); }
    /// Since when no rank has been left, as far as looks told; nothing while there are ranks.
    std::optional<time_point> ranks_gone_since() const { return gone_since_; }
    /// What lived at the last look, the launcher first.
    const std::vector<pid_t> &alive() const { return alive_; }

private:
    bool visit(pid_t process);
    bool is_rank(pid_t process);

    pid_t launcher_;
    std::string program_;
    std::set<pid_t> ranks_; ///< whatever was once seen to be one
    std::set<pid_t> above_; ///< ranks, and whatever once had one below it
    bool all_are_here_ = false;
    std::vector<pid_t> alive_;
    std::optional<time_point> gone_since_;
};

} // namespace tenfold::server
