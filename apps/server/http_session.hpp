// A connection of a client: reads a request, has it handled, writes the response, and so on. Only
// network.cpp includes it: Boost.Beast takes long to compile.
#pragma once

#include <atomic>
#include <limits>
#include <thread>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>

#include "apps/server/audit_log.hpp"
#include "apps/server/event_stream.hpp"
#include "apps/server/planning_desk.hpp"
#include "apps/server/service.hpp"

namespace tenfold::server {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;
using boost::system::error_code;
using std::chrono::milliseconds;
using std::chrono::seconds;

inline constexpr seconds head_time{15};
inline constexpr seconds idle_time{60};
inline constexpr seconds body_grace{30};
inline constexpr std::uint64_t slowest_bytes_per_second = 64 << 10;
inline constexpr seconds drain_time{5};
inline constexpr seconds event_time{30};
inline constexpr int most_unread_bytes = 64 << 10; ///< of events, that the system keeps
inline constexpr std::uint32_t most_head_bytes = 16 << 10;
inline constexpr std::size_t read_buffer_bytes = 128 << 10;
inline constexpr std::size_t body_piece_bytes = 4 << 20;

/// For a body of so many bytes. A client that is slower is cut off.
inline seconds time_for(std::uint64_t bytes) {
    return body_grace + seconds(static_cast<seconds::rep>(bytes / slowest_bytes_per_second));
}

/// What all connections share. Only the network's thread uses it, but for the desk and the counts.
struct shared_parts {
    service &of;
    audit_log log;
    int most_connections;
    std::atomic<int> connections{0};
    std::atomic<int> busy{0}; ///< connections whose request is not answered yet
    std::atomic<bool> ending{false};
    std::optional<planning_desk> desk{std::in_place};
};

/// A connection: reads a request, has it handled, writes the response, and so on.
template <class Stream> class session : public std::enable_shared_from_this<session<Stream>> {
public:
    template <class... Arguments> explicit session(shared_parts &shared, Arguments &&...arguments)
        : shared_(shared), stream_(std::forward<Arguments>(arguments)...),
          buffer_(read_buffer_bytes) {
        ++shared_.connections;
    }
    ~session() {
        if (events_)
            events_->abandon();
        set_busy(false);
        --shared_.connections;
    }
    session(const session &) = delete;
    session &operator=(const session &) = delete;

    void start() {
        lowest().expires_after(head_time);
        if constexpr (std::is_same_v<Stream, beast::tcp_stream>)
            read_head();
        else
            stream_.async_handshake(asio::ssl::stream_base::server,
                                    [self = this->shared_from_this()](error_code failure) {
                                        if (!failure)
                                            self->read_head();
                                    });
    }

private:
    beast::tcp_stream &lowest() { return beast::get_lowest_layer(stream_); }

    void set_busy(bool now) {
        if (now != busy_)
            shared_.busy += now ? 1 : -1;
        busy_ = now;
    }

    void read_head() {
        parser_.emplace();
        parser_->header_limit(most_head_bytes);
        // Checked by on_head(), by what the request is.
        parser_->body_limit(std::numeric_limits<std::uint64_t>::max());
        http::async_read_header(stream_, buffer_, *parser_,
                                [self = this->shared_from_this()](error_code failure, std::size_t) {
                                    self->on_head(failure);
                                });
    }

    void on_head(error_code failure) {
        began_ = std::chrono::steady_clock::now();
        operation_ = "refused";
        user_.clear();
        target_.clear();
        if (failure == http::error::end_of_stream || failure == beast::error::timeout)
            return close();
        if (failure &&
            failure.category() == http::make_error_code(http::error::bad_version).category())
            return refuse(
                {400, "malformed", "the request is not HTTP/1.1, or its head is too large"});
        if (failure)
            return;
        set_busy(true);
        try {
            request_head head;
            const auto &message = parser_->get();
            head.method = std::string(message.method_string());
            head.target = std::string(message.target());
            for (const auto &field : message)
                head.add(to_text(field.name_string()), to_text(field.value()));
            request_ = shared_.of.accept(head);
        } catch (const refusal &problem) {
            return refuse(problem);
        } catch (const std::bad_alloc &) {
            return refuse({507, "out_of_memory", "rank 0 has no memory for this request"});
        }
        operation_ = request_.what->name;
        user_ = request_.user;
        target_ = request_.parameter;
        deadline_ = std::chrono::steady_clock::now() + time_for(request_.body_bytes);
        lowest().expires_at(deadline_);
        if (beast::iequals(parser_->get()[http::field::expect], "100-continue")) {
            static constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
            asio::async_write(stream_, asio::buffer(go_on.data(), go_on.size()),
                              [self = this->shared_from_this()](error_code problem, std::size_t) {
                                  if (!problem)
                                      self->read_body();
                              });
            return;
        }
        read_body();
    }

    static std::string_view to_text(beast::string_view text) { return {text.data(), text.size()}; }

    /// Reads the body to where it stays. The parser would copy it from a buffer, 64 KiB at a time.
    void read_body() {
        body_ = std::make_shared<std::string>();
        body_->reserve(request_.body_bytes);
        const std::size_t there = std::min<std::size_t>(buffer_.size(), request_.body_bytes);
        body_->append(static_cast<const char *>(buffer_.data().data()), there);
        buffer_.consume(there);
        read_rest(there);
    }

    void read_rest(std::size_t done) {
        if (done == request_.body_bytes)
            return dispatch();
        if (done == body_->size()) // by pieces: to clear all at once would keep others waiting
            body_->resize(std::min<std::size_t>(request_.body_bytes, done + body_piece_bytes));
        lowest().expires_at(std::min(deadline_, std::chrono::steady_clock::now() + body_grace));
        stream_.async_read_some(
            asio::buffer(body_->data() + done, body_->size() - done),
            [self = this->shared_from_this(), done](error_code failure, std::size_t size) {
                if (!failure)
                    return self->read_rest(done + size);
                self->request_ = {}; // gives its memory back
                self->body_ = nullptr;
            });
    }

    void dispatch() {
        lowest().expires_never();
        keep_alive_ = parser_->get().keep_alive();
        const auto body = std::exchange(body_, nullptr);
        parser_.reset();
        // The request is no longer the connection's: a client that has gone holds no memory.
        const auto request = std::make_shared<accepted_request>(std::exchange(request_, {}));
        const effort takes = request->what->takes;
        auto work = [self = this->shared_from_this(), body, request] {
            self->shared_.of.handle(std::move(*request), std::move(*body), [self](response answer) {
                const auto made = std::make_shared<response>(std::move(answer));
                asio::post(self->stream_.get_executor(),
                           [self, made] { self->write(std::move(*made)); });
            });
        };
        shared_.desk->handle(takes, *body, std::move(work));
    }

    /// The rest of the connection is not read.
    void refuse(const refusal &problem) {
        keep_alive_ = false;
        request_ = {};
        set_busy(true);
        write(response::of(problem));
    }

    void write(response answer) {
        shared_.log.add(
            {user_, operation_, target_, answer.status,
             std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(),
             std::move(answer.audit)});
        if (answer.events)
            return begin_events(std::move(answer.events));
        answer_ = std::move(answer);
        keep_alive_ = keep_alive_ && !answer_.close && !shared_.ending;
        message_.emplace();
        auto &message = *message_;
        message.version(11);
        message.result(static_cast<unsigned>(answer_.status));
        message.set(http::field::content_type, answer_.content_type);
        message.set(http::field::cache_control, "no-store");
        message.set("X-Content-Type-Options", "nosniff");
        for (const auto &[name, value] : answer_.headers)
            message.set(name, value);
        message.body() = {answer_.body->data(), answer_.body->size()};
        message.keep_alive(keep_alive_);
        message.prepare_payload();
        lowest().expires_after(time_for(answer_.body->size()));
        http::async_write(stream_, *message_,
                          [self = this->shared_from_this()](error_code failure, std::size_t) {
                              self->on_written(failure);
                          });
    }

    void on_written(error_code failure) {
        message_.reset();
        answer_ = {};
        set_busy(false);
        if (failure)
            return;
        if (!keep_alive_)
            return close();
        lowest().expires_after(idle_time);
        read_head();
    }

    /// The connection is for events from now on, and ends with them.
    void begin_events(std::shared_ptr<event_stream> events) {
        set_busy(false);
        events_ = std::move(events);
        events_->listen([weak = this->weak_from_this(), where = stream_.get_executor()] {
            asio::post(where, [weak] {
                if (const auto self = weak.lock())
                    self->send_events();
            });
        });
        error_code ignored;
        lowest().socket().set_option(asio::socket_base::send_buffer_size(most_unread_bytes),
                                     ignored);
        lowest().expires_never();
        stream_.async_read_some(
            asio::buffer(unexpected_),
            [self = this->shared_from_this()](error_code, std::size_t) { self->on_reader_gone(); });
        event_text_ = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: "
                      "no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n";
        write_events();
    }

    void send_events() {
        event_stream::piece next = events_->take();
        if (next.is_dropped)
            return cut_off(); // perhaps while a piece is being sent
        event_text_ = std::move(next.text);
        if (!event_text_.empty())
            write_events();
        else if (next.is_last) {
            events_have_ended_ = true;
            lowest().cancel(); // the read, behind which close() goes on
        }
    }

    void write_events() {
        lowest().expires_after(event_time); // of the write: a read is pending already
        asio::async_write(stream_, asio::buffer(event_text_),
                          [self = this->shared_from_this()](error_code failure, std::size_t) {
                              if (failure)
                                  self->lowest().close();
                              else
                                  self->send_events();
                          });
    }

    /// What it did not read is thrown away. Otherwise the system would keep it, and try on.
    void cut_off() {
        error_code ignored;
        lowest().socket().set_option(asio::socket_base::linger(true, 0), ignored);
        lowest().close();
    }

    /// A client that sends more, or closes its end, has had enough.
    void on_reader_gone() {
        if (events_have_ended_)
            return close();
        events_->abandon();
        lowest().close();
    }

    /// Says that nothing more comes, and reads what the client still sends: if the connection ended
    /// at once, the client could lose the response.
    void close() {
        error_code ignored;
        lowest().expires_after(drain_time);
        lowest().socket().shutdown(tcp::socket::shutdown_send, ignored);
        drain();
    }
    void drain() {
        buffer_.clear();
        lowest().async_read_some(
            buffer_.prepare(read_buffer_bytes),
            [self = this->shared_from_this()](error_code failure, std::size_t) {
                if (!failure)
                    self->drain();
            });
    }

    shared_parts &shared_;
    Stream stream_;
    beast::flat_buffer buffer_;
    std::optional<http::request_parser<http::empty_body>> parser_;
    accepted_request request_{};
    std::shared_ptr<std::string> body_;
    std::chrono::steady_clock::time_point deadline_; ///< of the body
    response answer_;
    std::optional<http::response<http::span_body<const char>>> message_;
    std::chrono::steady_clock::time_point began_;
    std::shared_ptr<event_stream> events_;
    std::string event_text_; ///< that is being sent
    bool events_have_ended_ = false;
    char unexpected_[64];
    std::string_view operation_;
    std::string user_;
    std::string target_; ///< the parameter of the path
    bool keep_alive_ = false;
    bool busy_ = false;
};

} // namespace tenfold::server
