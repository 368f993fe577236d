// A client of bulk data, by hand.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "apps/server/bulk_frame.hpp"
#include "server/bulk_secret.hpp"

namespace tenfold::server {

/// What it expects and does not get is a failure of the test.
class client_wire {
public:
    explicit client_wire(std::uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in where{};
        where.sin_family = AF_INET;
        where.sin_port = htons(port);
        where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        timeval patience{30, 0};
        setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr *>(&where), sizeof where), 0);
    }
    ~client_wire() { ::close(socket_); }
    client_wire(const client_wire &) = delete;
    client_wire &operator=(const client_wire &) = delete;

    void send_bytes(std::span<const unsigned char> what) {
        // It fails where the connection was cut, which answer() shows.
        static_cast<void>(::send(socket_, what.data(), what.size(), MSG_NOSIGNAL));
    }
    void send(frame_head head, std::span<const unsigned char> content = {},
              std::uint32_t damage = 0) {
        head.checksum = frame_checksum(head, content) ^ damage;
        send_bytes(head.encode());
        send_bytes(content);
    }
    void send_piece(std::uint64_t number, const std::vector<double> &values,
                    std::uint32_t damage = 0) {
        send({frame_kind::piece, 0, number, 8 * values.size()},
             {bytes_of(values.data()), 8 * values.size()}, damage);
    }
    void hello(std::uint64_t number = 7, const std::string &with = secret) {
        send({frame_kind::hello, 0, number, secret_bytes}, wire_form(with));
    }
    bool receive(std::span<unsigned char> to) {
        return to.empty() ||
               recv(socket_, to.data(), to.size(), MSG_WAITALL) == static_cast<ssize_t>(to.size());
    }
    /// Empty at the end of the connection.
    std::optional<frame_head> answer() {
        std::array<unsigned char, frame_head::bytes> wire;
        if (!receive(wire))
            return std::nullopt;
        const frame_head head = frame_head::decode(wire);
        if (head.kind == frame_kind::answer) {
            EXPECT_EQ(head.checksum, frame_checksum(head, {}));
        }
        return head;
    }
    void expect(bulk_status status, std::uint64_t count = 0) {
        const auto got = answer();
        ASSERT_TRUE(got.has_value());
        EXPECT_EQ(got->kind, frame_kind::answer);
        EXPECT_EQ(static_cast<bulk_status>(got->number), status);
        EXPECT_EQ(got->size, count);
        if (status != bulk_status::ok) {
            EXPECT_EQ(answer(), std::nullopt);
        }
    }

private:
    int socket_;
};

} // namespace tenfold::server
