// Which thread plans what requests ask for.
#pragma once

#include <atomic>
#include <string>

#include "apps/server/routes.hpp"
#include "apps/server/task_thread.hpp"

namespace tenfold::server {

/// Where all cores compute, each thread that another one wakes may wait for milliseconds, which
/// takes longer than most plans. So the sockets' thread makes those that take little itself.
class planning_desk {
public:
    /// Handles a request, on this thread or on another one; plans in the order of the calls, but
    /// for effort::long_planning. `task` does not throw.
    void handle(effort takes, const std::string &body, std::function<void()> task);

private:
    /// Runs the task and measures it.
    void contract(const std::function<void()> &task);

    /// Others wait for the sockets' thread so long.
    static constexpr double most_seconds = 1e-3;

    /// What the longest of the last plans of one or two inputs took of a processor: more with many
    /// ranks. The first one may measure the machine.
    std::atomic<double> seconds_{1.5 * most_seconds};
    task_thread desk_;
    task_thread slow_desk_;
};

} // namespace tenfold::server
