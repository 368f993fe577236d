#include "apps/server/network.hpp"

#include <csignal>
#include <stdexcept>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <sys/resource.h>
#include <unistd.h>

#include "apps/server/http_session.hpp"
#include "apps/server/sockets.hpp"

namespace tenfold::server {
namespace {

constexpr seconds farewell_time{1};
constexpr milliseconds tick_time{100};

std::string fingerprint_of(asio::ssl::context &tls) {
    token_hash digest{};
    unsigned size = 0;
    const X509 *certificate = SSL_CTX_get0_certificate(tls.native_handle());
    if (certificate == nullptr || X509_digest(certificate, EVP_sha256(), digest.data(), &size) != 1)
        throw std::runtime_error("the certificate has no fingerprint");
    return to_hex(digest);
}

/// A client whose machine lost power or network sends nothing more, not even the connection's end.
/// It would keep the memory of its body for as long as the slowest client may take.
void notice_death(tcp::socket &socket) {
    constexpr int after_seconds = 30, every_seconds = 10, times = 3;
    constexpr unsigned unanswered_milliseconds = 60000;
    const int handle = socket.native_handle();
    const int on = 1;
    setsockopt(handle, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(handle, IPPROTO_TCP, TCP_KEEPIDLE, &after_seconds, sizeof after_seconds);
    setsockopt(handle, IPPROTO_TCP, TCP_KEEPINTVL, &every_seconds, sizeof every_seconds);
    setsockopt(handle, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof times);
    setsockopt(handle, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered_milliseconds,
               sizeof unanswered_milliseconds);
}

/// A connection takes a descriptor, of which shells allow few unless they are asked.
void allow_descriptors() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

} // namespace

struct network::state {
    state(service &of, const network_options &options)
        : shared{of, audit_log(options.audit), options.most_connections}, acceptor(io), ticks(io),
          pause(io), signals(io, SIGINT, SIGTERM), input(io) {
        allow_descriptors();
        if (!options.certificate.empty())
            prepare_tls(options);
        listen_on(acceptor, options.address, options.port);
        signals.async_wait([this](error_code problem, int) {
            if (!problem)
                shared.of.stop();
        });
        if (options.ends_with_input) {
            error_code failure;
            input.assign(dup(STDIN_FILENO), failure);
            if (failure)
                throw std::runtime_error("the standard input cannot be watched: " +
                                         failure.message());
            watch_input();
        }
        accept_each(acceptor, pause, tick_time,
                    [this](tcp::socket socket) { serve(std::move(socket)); });
        tick();
        thread = std::thread([this] {
            ask_for_slices(slice_of_answers);
            run_until_stopped(io);
        });
    }

    ~state() {
        shared.ending = true;
        asio::post(io, [this] {
            error_code ignored;
            acceptor.close(ignored);
        });
        const auto until = std::chrono::steady_clock::now() + farewell_time;
        while (shared.busy > 0 && std::chrono::steady_clock::now() < until)
            std::this_thread::sleep_for(milliseconds(5));
        io.stop();
        thread.join();
        shared.desk.reset(); // last: the network's thread gives it work
    }
    state(const state &) = delete;
    state &operator=(const state &) = delete;

    void prepare_tls(const network_options &options) {
        tls.emplace(asio::ssl::context::tls_server);
        use_certificate(*tls, options.certificate, options.key);
        fingerprint = fingerprint_of(*tls);
    }

    void serve(tcp::socket socket) {
        if (shared.connections >= shared.most_connections)
            return; // which closes it
        try {
            error_code ignored;
            socket.set_option(tcp::no_delay(true), ignored);
            notice_death(socket);
            if (tls)
                std::make_shared<session<beast::ssl_stream<beast::tcp_stream>>>(
                    shared, std::move(socket), *tls)
                    ->start();
            else
                std::make_shared<session<beast::tcp_stream>>(shared, std::move(socket))->start();
        } catch (const std::exception &) {
            // There is no memory, or no TLS session. The connection is closed; the next one may
            // have.
        }
    }

    void watch_input() {
        input.async_read_some(asio::buffer(ignored_input), [this](error_code problem, std::size_t) {
            if (!problem)
                watch_input();
            else if (problem != asio::error::operation_aborted)
                shared.of.stop();
        });
    }

    void tick() {
        ticks.expires_after(tick_time);
        ticks.async_wait([this](error_code failure) {
            if (failure)
                return;
            tick();
            shared.of.tick();
        });
    }

    shared_parts shared;
    std::optional<asio::ssl::context> tls;
    std::string fingerprint;
    asio::io_context io{1};
    tcp::acceptor acceptor;
    asio::steady_timer ticks, pause;
    asio::signal_set signals;
    asio::posix::stream_descriptor input;
    char ignored_input[64];
    std::thread thread;
};

network::network(service &of, const network_options &options)
    : state_(std::make_unique<state>(of, options)) {}
network::~network() = default;

std::uint16_t network::port() const noexcept {
    error_code ignored;
    return state_->acceptor.local_endpoint(ignored).port();
}
const std::string &network::fingerprint() const noexcept { return state_->fingerprint; }

} // namespace tenfold::server
