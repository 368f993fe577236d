// The one thread of a process that watches over all its worlds. It never calls MPI.
#pragma once

#include <list>
#include <memory>
#include <mutex>

#include "distributed/presence/presence.hpp"

namespace tenfold::dist_impl {

/// The thread runs while some world has connections, and sleeps in epoll_wait() until a message
/// comes. All of every world's presence but its atomics is guarded by mutex(). The object is never
/// destroyed, because the thread may run until the process ends.
class watcher {
public:
    using worlds = std::list<std::shared_ptr<presence>>;

    /// Throws std::bad_alloc at its first call.
    static watcher &instance();

    std::mutex &mutex() noexcept { return mutex_; }
    /// Takes the one world in the list, which was allocated before, and starts the thread if it
    /// does not run. Returns false if the system has no thread or no descriptor to give.
    bool add(worlds &&one) noexcept;
    /// Says in all worlds that this rank leaves.
    void leave_all(departure_kind kind) noexcept;
    /// Lets the thread look at what another one changed. The caller holds the mutex.
    void wake() noexcept;

private:
    watcher();
    bool start() noexcept;
    void stop() noexcept;
    void run() noexcept;
    void forget_in_child() noexcept;

    std::mutex mutex_;
    worlds all_;
    bool runs_ = false;
    int poll_descriptor_ = -1;
    int wake_descriptor_ = -1;
};

} // namespace tenfold::dist_impl
