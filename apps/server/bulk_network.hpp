// The sockets of bulk data: each rank has a few threads that move pieces between clients and the
// memory that the bulk desk knows. They never call MPI.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "apps/server/bulk_desk.hpp"

namespace tenfold::server {

struct bulk_network_options {
    std::string address = "127.0.0.1";
    std::string certificate, key; ///< files in PEM; empty: no TLS
    /// As many as a client has connections to a rank: one takes a piece from the system, sums and
    /// copies it, at a fraction of the speed at which a client with several processors sends.
    int threads = 4;
    /// Each has memory for a piece once it has shown a secret.
    int most_connections = 32;
    std::chrono::milliseconds hello_time{10000};   ///< until a connection has shown a secret
    std::chrono::milliseconds silence_time{30000}; ///< for a frame, and between frames
    std::chrono::milliseconds sweep_time{200};     ///< between looks for connections to be cut
};

/// Listens, on any port that is free, and serves from construction to destruction. A connection is
/// cut when it is too slow, and soon after its transfer has ended.
class bulk_network {
public:
    /// Throws std::runtime_error if the address cannot be listened on, a file cannot be used, or
    /// this machine's numbers are not little-endian.
    bulk_network(bulk_desk &desk, const bulk_network_options &options);
    ~bulk_network();
    bulk_network(const bulk_network &) = delete;
    bulk_network &operator=(const bulk_network &) = delete;

    std::uint16_t port() const noexcept;

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace tenfold::server
