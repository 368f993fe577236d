// Server-sent events for one client, on their way from the service to its connection.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace tenfold::server {

/// Thread-safe. The service adds events, the connection takes them. A client that reads too slowly
/// is dropped: what waits for it is bounded.
class event_stream {
public:
    static constexpr std::size_t most_waiting_bytes = 256 << 10;

    /// Does nothing once the stream is over, which it is if more would wait than may.
    void add(std::string_view event, const nlohmann::json &data);
    /// A line that clients skip. If nobody reads any more, sending it shows that.
    void keep_alive();
    /// There will be no more events; those that wait are still sent.
    void finish();
    /// The client has gone.
    void abandon();
    bool is_over() const;

    /// What waits. `is_last`: nothing comes behind it; `is_dropped`: the client was too slow.
    struct piece {
        std::string text;
        bool is_last, is_dropped;
    };
    piece take();
    /// `wake` is called, by any thread, when there is something to take after a take() that had
    /// nothing, and when the client is dropped. It must only pass that on: locks are held.
    void listen(std::function<void()> wake);

private:
    void append(std::string_view text);
    void call();

    mutable std::mutex mutex_;
    std::string waiting_;
    std::function<void()> wake_;
    bool is_listening_ = false;
    bool is_finished_ = false, is_dropped_ = false;
};

} // namespace tenfold::server
