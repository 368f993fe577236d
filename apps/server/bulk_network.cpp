#include "apps/server/bulk_network.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <list>
#include <optional>
#include <stdexcept>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include "apps/server/short_slices.hpp"
#include "apps/server/sockets.hpp"

namespace tenfold::server {
namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using boost::system::error_code;
using clock = std::chrono::steady_clock;

/// Behind a head that begins at `bulk_head_at`, so that elements are aligned.
constexpr std::size_t content_at = 64;
constexpr std::size_t bulk_head_at = content_at - frame_head::bytes;
constexpr std::chrono::seconds farewell_time{2};

/// Asio would read and write 64 KiB at a time.
struct all_at_once {
    std::size_t operator()(error_code failure, std::size_t) const {
        return failure ? 0 : std::size_t{1} << 22;
    }
};

/// What the network does with a connection of either kind.
class connection {
public:
    virtual ~connection() = default;
    virtual bool is_late(clock::time_point now) const = 0;
    virtual void cut() = 0;
};

struct shared_state {
    bulk_desk &desk;
    bulk_network_options options;
    std::list<std::weak_ptr<connection>> connections = {};
};

/// Reads frames and answers them, one after the other.
template <class Stream>
class bulk_session : public connection, public std::enable_shared_from_this<bulk_session<Stream>> {
public:
    template <class... Arguments>
    explicit bulk_session(shared_state &shared, Arguments &&...arguments)
        : shared_(shared), stream_(std::forward<Arguments>(arguments)...),
          until_(clock::now() + shared.options.hello_time) {}

    void start() {
        if constexpr (std::is_same_v<Stream, tcp::socket>)
            read_head();
        else
            stream_.async_handshake(asio::ssl::stream_base::server,
                                    [self = this->shared_from_this()](error_code failure) {
                                        if (!failure)
                                            self->read_head();
                                    });
    }

    bool is_late(clock::time_point now) const override {
        return now > until_ || (ticket_ && !is_leaving_ && !shared_.desk.is_open(ticket_));
    }
    void cut() override {
        error_code ignored;
        stream_.lowest_layer().close(ignored);
    }

private:
    template <class Next> void read(unsigned char *to, std::size_t size, Next next) {
        asio::async_read(stream_, asio::buffer(to, size), all_at_once(),
                         [self = this->shared_from_this(), next](error_code failure, std::size_t) {
                             if (!failure)
                                 next(*self);
                         });
    }
    template <class Next> void write(const unsigned char *from, std::size_t size, Next next) {
        asio::async_write(stream_, asio::buffer(from, size), all_at_once(),
                          [self = this->shared_from_this(), next](error_code failure, std::size_t) {
                              if (!failure)
                                  next(*self);
                          });
    }

    void allow_time() { until_ = clock::now() + shared_.options.silence_time; }

    void read_head() {
        if (ticket_)
            allow_time();
        read(head_bytes_.data(), head_bytes_.size(), [](bulk_session &self) {
            self.head_ = frame_head::decode(self.head_bytes_);
            self.on_head();
        });
    }

    void on_head() {
        const bool has_content = head_.kind == frame_kind::hello || head_.kind == frame_kind::piece;
        if (!has_content && frame_checksum(head_, {}) != head_.checksum)
            return refuse(bulk_status::damaged);
        if (!ticket_)
            return head_.kind == frame_kind::hello && head_.size == secret_bytes
                       ? read_hello()
                       : refuse(bulk_status::malformed);
        const bool is_upload = shared_.desk.is_upload(ticket_);
        if (is_upload && head_.kind == frame_kind::piece)
            return read_piece();
        if (is_upload && head_.kind == frame_kind::end)
            return answer(bulk_status::ok, taken_);
        if (!is_upload && head_.kind == frame_kind::request)
            return send_next();
        refuse(bulk_status::malformed);
    }

    void read_hello() {
        read(secret_.data(), secret_.size(), [](bulk_session &self) {
            if (frame_checksum(self.head_, self.secret_) != self.head_.checksum)
                return self.refuse(bulk_status::damaged);
            self.ticket_ = self.shared_.desk.admit(self.head_.number, self.secret_);
            self.secret_.fill(0);
            if (!self.ticket_)
                return self.refuse(bulk_status::unauthorized);
            self.buffer_.reset(new unsigned char[content_at + most_piece_bytes]);
            self.answer(bulk_status::ok, 0);
        });
    }

    std::span<unsigned char> content(std::size_t size) {
        return {buffer_.get() + content_at, size};
    }

    void read_piece() {
        const auto size = shared_.desk.piece_bytes(ticket_, head_.number);
        if (!size || static_cast<std::uint64_t>(*size) != head_.size)
            return refuse(bulk_status::wrong_piece);
        allow_time();
        read(buffer_.get() + content_at, head_.size, [](bulk_session &self) {
            const auto elements = self.content(self.head_.size);
            if (frame_checksum(self.head_, elements) != self.head_.checksum)
                return self.refuse(bulk_status::damaged);
            const bulk_status status =
                self.shared_.desk.take(self.ticket_, self.head_.number, elements);
            if (status != bulk_status::ok)
                return self.refuse(status);
            ++self.taken_;
            self.read_head();
        });
    }

    /// The pieces that `head_` still asks for.
    void send_next() {
        if (head_.size == 0)
            return read_head();
        allow_time();
        const auto size = shared_.desk.piece_bytes(ticket_, head_.number);
        if (!size)
            return refuse(bulk_status::wrong_piece);
        frame_head head{frame_kind::piece, 0, head_.number, static_cast<std::uint64_t>(*size)};
        const auto elements = content(head.size);
        const bulk_status status = shared_.desk.give(ticket_, head.number, elements);
        if (status != bulk_status::ok)
            return refuse(status);
        head.checksum = frame_checksum(head, elements);
        const auto bytes = head.encode();
        std::copy(bytes.begin(), bytes.end(), buffer_.get() + bulk_head_at);
        ++head_.number;
        --head_.size;
        write(buffer_.get() + bulk_head_at, frame_head::bytes + head.size,
              [](bulk_session &self) { self.send_next(); });
    }

    template <class Next> void send_answer(bulk_status status, std::uint64_t count, Next next) {
        frame_head head{frame_kind::answer, 0, static_cast<std::uint64_t>(status), count};
        head.checksum = frame_checksum(head, {});
        answer_bytes_ = head.encode();
        write(answer_bytes_.data(), answer_bytes_.size(), next);
    }
    void answer(bulk_status status, std::uint64_t count) {
        send_answer(status, count, [](bulk_session &self) { self.read_head(); });
    }

    /// Says why and reads what the client still sends: if the connection ended at once, the client
    /// could lose the answer.
    void refuse(bulk_status why) {
        is_leaving_ = true;
        until_ = clock::now() + farewell_time;
        send_answer(why, 0, [](bulk_session &self) {
            error_code ignored;
            self.stream_.lowest_layer().shutdown(tcp::socket::shutdown_send, ignored);
            self.drain();
        });
    }
    void drain() {
        stream_.async_read_some(asio::buffer(drained_),
                                [self = this->shared_from_this()](error_code failure, std::size_t) {
                                    if (!failure)
                                        self->drain();
                                });
    }

    shared_state &shared_;
    Stream stream_;
    clock::time_point until_;
    bulk_desk::ticket ticket_;
    std::array<unsigned char, frame_head::bytes> head_bytes_{}, answer_bytes_{};
    std::array<unsigned char, secret_bytes> secret_{};
    std::array<unsigned char, 4096> drained_;
    frame_head head_;
    std::unique_ptr<unsigned char[]> buffer_; ///< a head and a piece; uninitialised
    std::uint64_t taken_ = 0;
    bool is_leaving_ = false; ///< was refused, and is told so
};

} // namespace

struct bulk_network::state {
    state(bulk_desk &desk, const bulk_network_options &options)
        : shared{desk, options}, acceptor(io), pause(io), sweeps(io) {
        if constexpr (std::endian::native != std::endian::little)
            throw std::runtime_error("this machine's numbers are not little-endian");
        if (!options.certificate.empty()) {
            tls.emplace(asio::ssl::context::tls_server);
            use_certificate(*tls, options.certificate, options.key);
        }
        listen_on(acceptor, options.address, 0);
        accept_each(acceptor, pause, shared.options.sweep_time,
                    [this](tcp::socket socket) { serve(std::move(socket)); });
        thread = std::thread([this] {
            ask_for_short_slices();
            run_until_stopped(io);
        });
    }
    ~state() {
        io.stop();
        thread.join();
    }
    state(const state &) = delete;
    state &operator=(const state &) = delete;

    void serve(tcp::socket socket) {
        shared.connections.remove_if([](const auto &one) { return one.expired(); });
        if (shared.connections.size() >= static_cast<std::size_t>(shared.options.most_connections))
            return; // which closes it
        error_code ignored;
        socket.set_option(tcp::no_delay(true), ignored);
        if (tls)
            begin(std::make_shared<bulk_session<asio::ssl::stream<tcp::socket>>>(
                shared, std::move(socket), *tls));
        else
            begin(std::make_shared<bulk_session<tcp::socket>>(shared, std::move(socket)));
    }

    template <class Session> void begin(const std::shared_ptr<Session> &made) {
        shared.connections.push_back(made);
        if (shared.connections.size() == 1)
            sweep();
        made->start();
    }

    /// Looks at all connections again and again, while there are any.
    void sweep() {
        sweeps.expires_after(shared.options.sweep_time);
        sweeps.async_wait([this](error_code failure) {
            if (failure)
                return;
            const auto now = clock::now();
            shared.connections.remove_if([now](const auto &one) {
                const auto found = one.lock();
                if (found && found->is_late(now))
                    found->cut();
                return !found;
            });
            if (!shared.connections.empty())
                sweep();
        });
    }

    shared_state shared;
    std::optional<asio::ssl::context> tls;
    asio::io_context io{1};
    tcp::acceptor acceptor;
    asio::steady_timer pause, sweeps;
    std::thread thread;
};

bulk_network::bulk_network(bulk_desk &desk, const bulk_network_options &options)
    : state_(std::make_unique<state>(desk, options)) {}
bulk_network::~bulk_network() = default;

std::uint16_t bulk_network::port() const noexcept {
    error_code ignored;
    return state_->acceptor.local_endpoint(ignored).port();
}

} // namespace tenfold::server
