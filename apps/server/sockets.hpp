// What both kinds of sockets need: those of HTTP and those of bulk data.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>

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

} // namespace tenfold::server
