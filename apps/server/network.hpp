// The sockets: HTTP/1.1, by itself or over TLS, for a service.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "apps/server/service.hpp"

namespace tenfold::server {

struct network_options {
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;       ///< 0: any that is free
    std::string certificate, key; ///< files in PEM; empty: no TLS
    int most_connections = 2048;
    std::string audit;            ///< a file that gets a line for each request; empty: none
    bool ends_with_input = false; ///< the end of the standard input is as good as SIGTERM
};

/// Listens and serves on a thread of its own from construction to destruction. SIGINT and SIGTERM
/// end the service (service::stop()).
///
/// A connection must send a request's head within 15 s, and bodies at 64 KiB/s after 30 s of grace;
/// it is closed after 60 s without a request.
class network {
public:
    /// Throws std::runtime_error if the address cannot be listened on, or a file cannot be used.
    network(service &of, const network_options &options);
    ~network();
    network(const network &) = delete;
    network &operator=(const network &) = delete;

    std::uint16_t port() const noexcept;
    /// SHA-256 of the certificate in DER, in hexadecimal digits; empty without TLS.
    const std::string &fingerprint() const noexcept;

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace tenfold::server
