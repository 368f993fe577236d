#include "apps/server/bulk_network.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <optional>
#include <stdexcept>

#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include "apps/server/bulk_lane.hpp"

namespace tenfold::server {
namespace {

using tcp = asio::ip::tcp;

/// Behind a head that begins at `bulk_head_at`, so that elements are aligned.
constexpr std::size_t content_at = 64;
constexpr std::size_t bulk_head_at = content_at - frame_head::bytes;
/// Of a piece, that is read and summed at a time: with where the system has it, half of an L2.
constexpr std::size_t part_bytes = 32 * frame_sums::row_bytes;
constexpr std::chrono::seconds farewell_time{2};

/// Asio would read and write 64 KiB at a time.
struct all_at_once {
    std::size_t operator()(error_code failure, std::size_t) const {
        return failure ? 0 : std::size_t{1} << 22;
    }
};

/// Reads frames and answers them, one after the other.
template <class Stream>
class bulk_session : public connection, public std::enable_shared_from_this<bulk_session<Stream>> {
public:
    template <class... Arguments> explicit bulk_session(lane &where, Arguments &&...arguments)
        : lane_(where), stream_(std::forward<Arguments>(arguments)...),
          until_(clock::now() + where.options.hello_time) {
        ++lane_.open;
    }
    ~bulk_session() override { --lane_.open; }
    bulk_session(const bulk_session &) = delete;
    bulk_session &operator=(const bulk_session &) = delete;

    void start() {
        if constexpr (is_plain) {
            error_code ignored;
            stream_.non_blocking(true, ignored); // for send_shown()
            read_head();
        } else {
            stream_.async_handshake(asio::ssl::stream_base::server,
                                    [self = this->shared_from_this()](error_code failure) {
                                        if (!failure)
                                            self->read_head();
                                    });
        }
    }

    bool is_late(clock::time_point now) const override {
        return now > until_ || (ticket_ && !is_leaving_ && !lane_.desk.is_open(ticket_));
    }
    void cut() override {
        error_code ignored;
        stream_.lowest_layer().close(ignored);
    }

private:
    static constexpr bool is_plain = std::is_same_v<Stream, tcp::socket>;

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

    void allow_time() { until_ = clock::now() + lane_.options.silence_time; }

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
        const bool is_upload = lane_.desk.is_upload(ticket_);
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
            self.ticket_ = self.lane_.desk.admit(self.head_.number, self.secret_);
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
        const auto size = lane_.desk.piece_bytes(ticket_, head_.number);
        if (!size || static_cast<std::uint64_t>(*size) != head_.size)
            return refuse(bulk_status::wrong_piece);
        allow_time();
        sums_ = {};
        read_part(0);
    }
    /// What follows of a piece `done` bytes of which are there.
    void read_part(std::size_t done) {
        const std::size_t size = std::min<std::size_t>(part_bytes, head_.size - done);
        read(buffer_.get() + content_at + done, size, [done, size](bulk_session &self) {
            self.sums_.add(self.content(self.head_.size).subspan(done, size));
            if (done + size < self.head_.size)
                return self.read_part(done + size);
            self.on_piece();
        });
    }
    void on_piece() {
        if (sums_.checksum(head_) != head_.checksum)
            return refuse(bulk_status::damaged);
        const bulk_status status = lane_.desk.take(ticket_, head_.number, content(head_.size));
        if (status != bulk_status::ok)
            return refuse(status);
        ++taken_;
        read_head();
    }

    /// The pieces that `head_` still asks for.
    void send_next() {
        if (head_.size == 0)
            return read_head();
        allow_time();
        const auto size = lane_.desk.piece_bytes(ticket_, head_.number);
        if (!size)
            return refuse(bulk_status::wrong_piece);
        frame_head head{frame_kind::piece, 0, head_.number, static_cast<std::uint64_t>(*size)};
        if constexpr (is_plain)
            if (lane_.desk.can_show(ticket_, head.number))
                return show(head);
        const auto elements = content(head.size);
        const bulk_status status = lane_.desk.give(ticket_, head.number, elements);
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

    /// Sends a piece from where it lies, which saves a copy.
    void show(frame_head head) {
        const bulk_status status =
            lane_.desk.show(ticket_, head.number, [&](std::span<const unsigned char> elements) {
                head.checksum = frame_checksum(head, elements);
            });
        if (status != bulk_status::ok)
            return refuse(status);
        shown_head_ = head.encode();
        ++head_.number;
        --head_.size;
        send_shown(head.number, 0);
    }
    /// What is left of the frame behind `sent` bytes. The memory is not held while the connection
    /// takes nothing: it may be freed meanwhile, if the transfer ends.
    void send_shown(std::uint64_t number, std::size_t sent) {
        error_code failure;
        const bulk_status status =
            lane_.desk.show(ticket_, number, [&](std::span<const unsigned char> elements) {
                const std::size_t all = shown_head_.size() + elements.size();
                while (sent < all && !failure) {
                    const std::size_t of_head = std::min(sent, shown_head_.size());
                    const std::array<asio::const_buffer, 2> rest = {
                        asio::buffer(shown_head_) + of_head,
                        asio::buffer(elements.data(), elements.size()) + (sent - of_head)};
                    sent += stream_.write_some(rest, failure);
                }
            });
        if (status != bulk_status::ok)
            return cut(); // within a frame there is no place for an answer
        if (failure == asio::error::would_block || failure == asio::error::try_again)
            stream_.async_wait(tcp::socket::wait_write,
                               [self = this->shared_from_this(), number, sent](error_code problem) {
                                   if (!problem)
                                       self->send_shown(number, sent);
                               });
        else if (!failure) // others have their turn
            asio::post(stream_.get_executor(),
                       [self = this->shared_from_this()] { self->send_next(); });
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

    lane &lane_;
    Stream stream_;
    clock::time_point until_;
    bulk_desk::ticket ticket_;
    std::array<unsigned char, frame_head::bytes> head_bytes_{}, answer_bytes_{}, shown_head_{};
    std::array<unsigned char, secret_bytes> secret_{};
    std::array<unsigned char, 4096> drained_;
    frame_head head_;
    frame_sums sums_;                         ///< of the piece that comes
    std::unique_ptr<unsigned char[]> buffer_; ///< a head and a piece; uninitialised
    std::uint64_t taken_ = 0;
    bool is_leaving_ = false; ///< was refused, and is told so
};

} // namespace

struct bulk_network::state {
    state(bulk_desk &desk, const bulk_network_options &how) : options(how) {
        if constexpr (std::endian::native != std::endian::little)
            throw std::runtime_error("this machine's numbers are not little-endian");
        if (!options.certificate.empty()) {
            tls.emplace(asio::ssl::context::tls_server);
            use_certificate(*tls, options.certificate, options.key);
        }
        for (int i = 0; i < options.threads; ++i)
            lanes.emplace_back(desk, options);
        acceptor.emplace(lanes.front().io);
        pause.emplace(lanes.front().io);
        listen_on(*acceptor, options.address, 0);
        accept_each(*acceptor, *pause, options.sweep_time,
                    [this](tcp::socket socket) { serve(std::move(socket)); });
        // The first one, which accepts for all, is the last that starts.
        for (auto one = lanes.rbegin(); one != lanes.rend(); ++one)
            one->start();
    }
    ~state() {
        for (lane &one : lanes)
            one.stop();
    }
    state(const state &) = delete;
    state &operator=(const state &) = delete;

    /// Gives a connection to the lane that has the fewest.
    void serve(tcp::socket accepted) {
        int open = 0;
        lane *least = &lanes.front();
        for (lane &one : lanes) {
            open += one.open;
            if (one.open < least->open)
                least = &one;
        }
        if (open >= options.most_connections)
            return; // which closes it
        error_code failure;
        accepted.set_option(tcp::no_delay(true), failure);
        const auto where = accepted.local_endpoint(failure);
        if (failure)
            return;
        tcp::socket socket(least->io);
        socket.assign(where.protocol(), accepted.release(failure), failure);
        if (failure)
            return;
        if (tls)
            begin(*least, std::make_shared<bulk_session<asio::ssl::stream<tcp::socket>>>(
                              *least, std::move(socket), *tls));
        else
            begin(*least, std::make_shared<bulk_session<tcp::socket>>(*least, std::move(socket)));
    }

    template <class Session> static void begin(lane &where, std::shared_ptr<Session> made) {
        asio::post(where.io, [&where, made = std::move(made)] { where.begin(made); });
    }

    const bulk_network_options options;
    std::optional<asio::ssl::context> tls;
    std::deque<lane> lanes;
    std::optional<tcp::acceptor> acceptor; ///< and `pause`: of the first lane
    std::optional<asio::steady_timer> pause;
};

bulk_network::bulk_network(bulk_desk &desk, const bulk_network_options &options)
    : state_(std::make_unique<state>(desk, options)) {}
bulk_network::~bulk_network() = default;

std::uint16_t bulk_network::port() const noexcept {
    error_code ignored;
    return state_->acceptor->local_endpoint(ignored).port();
}

} // namespace tenfold::server
