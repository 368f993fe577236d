// What both kinds of sockets need: those of HTTP and those of bulk data.
#pragma once

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>

namespace tenfold::server {

/// TLS by a certificate's chain and its key, files in PEM. Throws std::runtime_error.
inline void use_certificate(boost::asio::ssl::context &tls, const std::string &certificate,
                            const std::string &key) {
    namespace ssl = boost::asio::ssl;
    tls.set_options(ssl::context::no_sslv3 | ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1);
    // OpenSSL would ask the terminal, while all ranks wait.
    tls.set_password_callback(
        [](std::size_t, ssl::context::password_purpose) { return std::string(); });
    try {
        tls.use_certificate_chain_file(certificate);
        tls.use_private_key_file(key, ssl::context::pem);
    } catch (const boost::system::system_error &problem) {
        throw std::runtime_error("cannot use the certificate '" + certificate + "' with the key '" +
                                 key + "': " + problem.code().message());
    }
}

/// Throws std::runtime_error.
inline void listen_on(boost::asio::ip::tcp::acceptor &acceptor, const std::string &text,
                      std::uint16_t port) {
    using boost::asio::ip::tcp;
    boost::system::error_code failure;
    const auto address = boost::asio::ip::make_address(text, failure);
    if (failure)
        throw std::runtime_error("'" + text + "' is no address");
    try {
        const tcp::endpoint where(address, port);
        acceptor.open(where.protocol());
        acceptor.set_option(tcp::acceptor::reuse_address(true));
        acceptor.bind(where);
        acceptor.listen();
    } catch (const boost::system::system_error &problem) {
        throw std::runtime_error("cannot listen on " + text + ", port " + std::to_string(port) +
                                 ": " + problem.code().message());
    }
}

/// Calls serve(socket) for each connection until the acceptor is closed. If one cannot be accepted,
/// because no descriptor is left, perhaps, it tries again after `rest`.
template <class Serve> void accept_each(boost::asio::ip::tcp::acceptor &acceptor,
                                        boost::asio::steady_timer &pause,
                                        std::chrono::milliseconds rest, const Serve &serve) {
    using boost::system::error_code;
    acceptor.async_accept(
        [&acceptor, &pause, rest, serve](error_code failure, boost::asio::ip::tcp::socket socket) {
            if (failure == boost::asio::error::operation_aborted)
                return;
            const auto next = [&acceptor, &pause, rest, serve] {
                accept_each(acceptor, pause, rest, serve);
            };
            if (failure) {
                pause.expires_after(rest);
                pause.async_wait([next](error_code) { next(); });
                return;
            }
            next(); // first, so that nothing keeps it from the next one
            serve(std::move(socket));
        });
}

/// Runs what `io` has to do, until it is stopped.
inline void run_until_stopped(boost::asio::io_context &io) {
    for (;;)
        try {
            io.run();
            return;
        } catch (const std::exception &) {
            // A connection had no memory. It is gone, and the others go on.
        }
}

} // namespace tenfold::server
