// A thread of bulk data, with its connections. Only bulk_network.cpp includes it: Asio takes long
// to compile.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "apps/server/bulk_network.hpp"
#include "apps/server/slices.hpp"
#include "apps/server/sockets.hpp"

namespace tenfold::server {

namespace asio = boost::asio;
using boost::system::error_code;
using clock = std::chrono::steady_clock;

/// What the network does with a connection of either kind.
class connection {
public:
    virtual ~connection() = default;
    virtual bool is_late(clock::time_point now) const = 0;
    virtual void cut() = 0;
};

/// A thread and the connections that it serves. Others touch nothing but `open`, and `io` by
/// asio::post().
struct lane {
    lane(bulk_desk &the_desk, const bulk_network_options &how) : desk(the_desk), options(how) {}
    ~lane() { stop(); }
    lane(const lane &) = delete;
    lane &operator=(const lane &) = delete;

    void start() {
        thread = std::thread([this] {
            ask_for_slices(slice_of_transfers);
            run_until_stopped(io);
        });
    }
    void stop() {
        io.stop();
        if (thread.joinable())
            thread.join();
    }

    template <class Session> void begin(const std::shared_ptr<Session> &made) {
        connections.push_back(made);
        if (connections.size() == 1)
            sweep();
        made->start();
    }

    /// Looks at all connections again and again, while there are any.
    void sweep() {
        sweeps.expires_after(options.sweep_time);
        sweeps.async_wait([this](error_code failure) {
            if (failure)
                return;
            const auto now = clock::now();
            connections.remove_if([now](const auto &one) {
                const auto found = one.lock();
                if (found && found->is_late(now))
                    found->cut();
                return !found;
            });
            if (!connections.empty())
                sweep();
        });
    }

    bulk_desk &desk;
    const bulk_network_options &options;
    std::atomic<int> open{0}; ///< connections, also those that have not begun
    std::list<std::weak_ptr<connection>> connections;
    asio::io_context io{1};
    asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
    asio::steady_timer sweeps{io};
    std::thread thread;
};

} // namespace tenfold::server
