// TCP sockets for messages of a few bytes. No call here ends the process (SIGPIPE) or waits longer
// than it is told, calls that a signal interrupts are repeated, and programs that are started do
// not inherit the sockets.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace tenfold::dist_impl {

using presence_clock = std::chrono::steady_clock;

/// Owns a descriptor, or none.
class socket_handle {
public:
    socket_handle() noexcept = default;
    explicit socket_handle(int descriptor) noexcept : descriptor_(descriptor) {}
    socket_handle(socket_handle &&other) noexcept
        : descriptor_(std::exchange(other.descriptor_, -1)) {}
    socket_handle &operator=(socket_handle &&other) noexcept {
        if (this != &other) {
            close();
            descriptor_ = std::exchange(other.descriptor_, -1);
        }
        return *this;
    }
    ~socket_handle() { close(); }

    int descriptor() const noexcept { return descriptor_; }
    bool is_open() const noexcept { return descriptor_ >= 0; }
    void close() noexcept;

private:
    int descriptor_ = -1;
};

/// An IPv6 address, or an IPv4 address in the form ::ffff:a.b.c.d.
using host_address = std::array<std::uint8_t, 16>;
constexpr host_address loopback_address{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1};

/// Returns a socket that accepts connections, from this host only if `local`, and sets `port`; a
/// closed one on failure.
socket_handle listen_for_ranks(bool local, std::uint16_t &port) noexcept;
/// Writes addresses of this host's interfaces, without loopback and link-local ones, and returns
/// their number.
std::size_t find_own_addresses(std::span<host_address> found) noexcept;
/// Returns the next connection, or a closed socket if there is none.
socket_handle accept_connection(const socket_handle &listener) noexcept;
/// Returns a closed socket on failure.
socket_handle connect_to(const host_address &address, std::uint16_t port,
                         presence_clock::time_point deadline) noexcept;
/// Lets the system find out that the host at the other end is gone, in about two minutes.
void probe_when_idle(const socket_handle &socket) noexcept;

/// What send_some() and receive_some() return beside numbers of bytes.
constexpr std::ptrdiff_t not_now = 0;
constexpr std::ptrdiff_t is_closed = -1;
std::ptrdiff_t send_some(const socket_handle &socket, std::span<const std::byte> data) noexcept;
std::ptrdiff_t receive_some(const socket_handle &socket, std::span<std::byte> data) noexcept;

/// Send or receive all bytes. Return false if the deadline passes or the connection ends.
bool send_all(const socket_handle &socket, std::span<const std::byte> data,
              presence_clock::time_point deadline) noexcept;
bool receive_all(const socket_handle &socket, std::span<std::byte> data,
                 presence_clock::time_point deadline) noexcept;

/// Returns milliseconds for poll() until `deadline`, rounded up; 0 if it has passed.
int milliseconds_until(presence_clock::time_point deadline) noexcept;

} // namespace tenfold::dist_impl
