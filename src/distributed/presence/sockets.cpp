#include "distributed/presence/sockets.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tenfold::dist_impl {
namespace {

constexpr int kind_of_socket = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;

void set_option(int descriptor, int level, int option, int value) noexcept {
    setsockopt(descriptor, level, option, &value, sizeof value);
}

bool is_ipv4(const host_address &address) noexcept {
    return std::equal(address.begin(), address.begin() + 12, loopback_address.begin());
}

/// Room for an address of either family.
struct socket_address {
    sockaddr_storage storage{};
    socklen_t size = 0;

    sockaddr *any() noexcept { return reinterpret_cast<sockaddr *>(&storage); }
    template <class Address> void set(const Address &address) noexcept {
        std::memcpy(&storage, &address, sizeof address);
        size = sizeof address;
    }
};

socket_address address_of(const host_address &address, std::uint16_t port) noexcept {
    socket_address made;
    if (is_ipv4(address)) {
        sockaddr_in four{};
        four.sin_family = AF_INET;
        four.sin_port = htons(port);
        std::memcpy(&four.sin_addr, address.data() + 12, 4);
        made.set(four);
    } else {
        sockaddr_in6 six{};
        six.sin6_family = AF_INET6;
        six.sin6_port = htons(port);
        std::memcpy(&six.sin6_addr, address.data(), 16);
        made.set(six);
    }
    return made;
}

std::uint16_t port_of(int descriptor) noexcept {
    socket_address own;
    own.size = sizeof own.storage;
    if (getsockname(descriptor, own.any(), &own.size) != 0)
        return 0;
    if (own.storage.ss_family == AF_INET6) {
        sockaddr_in6 six;
        std::memcpy(&six, &own.storage, sizeof six);
        return ntohs(six.sin6_port);
    }
    sockaddr_in four;
    std::memcpy(&four, &own.storage, sizeof four);
    return ntohs(four.sin_port);
}

/// Returns true if the socket is ready, or in an error that the next call on it tells.
bool wait_for(int descriptor, short events, presence_clock::time_point deadline) noexcept {
    pollfd one{descriptor, events, 0};
    for (;;) {
        const int ready = poll(&one, 1, milliseconds_until(deadline));
        if (ready > 0)
            return true;
        if (ready == 0 || errno != EINTR)
            return false;
    }
}

socket_handle listen_at(const host_address &address) noexcept {
    socket_address own = address_of(address, 0);
    socket_handle made(::socket(own.storage.ss_family, kind_of_socket, 0));
    if (!made.is_open())
        return {};
    if (own.storage.ss_family == AF_INET6)
        set_option(made.descriptor(), IPPROTO_IPV6, IPV6_V6ONLY, 0); // takes IPv4 as well
    if (bind(made.descriptor(), own.any(), own.size) != 0 ||
        listen(made.descriptor(), SOMAXCONN) != 0)
        return {};
    return made;
}

std::ptrdiff_t outcome_of(ssize_t result) noexcept {
    if (result > 0)
        return result;
    return result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? not_now : is_closed;
}

} // namespace

void socket_handle::close() noexcept {
    if (is_open())
        ::close(std::exchange(descriptor_, -1));
}

socket_handle listen_for_ranks(bool local, std::uint16_t &port) noexcept {
    constexpr host_address any_ipv4{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    socket_handle made = listen_at(local ? loopback_address : host_address{});
    if (!made.is_open() && !local)
        made = listen_at(any_ipv4);
    if (made.is_open() && (port = port_of(made.descriptor())) == 0)
        made.close();
    return made;
}

std::size_t find_own_addresses(std::span<host_address> found) noexcept {
    ifaddrs *all = nullptr;
    if (getifaddrs(&all) != 0)
        return 0;
    std::size_t count = 0;
    for (const ifaddrs *one = all; one != nullptr && count < found.size(); one = one->ifa_next) {
        if (one->ifa_addr == nullptr || (one->ifa_flags & IFF_LOOPBACK) != 0 ||
            (one->ifa_flags & IFF_RUNNING) == 0)
            continue;
        if (one->ifa_addr->sa_family == AF_INET) {
            sockaddr_in four;
            std::memcpy(&four, one->ifa_addr, sizeof four);
            host_address address = loopback_address;
            std::memcpy(address.data() + 12, &four.sin_addr, 4);
            found[count++] = address;
        } else if (one->ifa_addr->sa_family == AF_INET6) {
            sockaddr_in6 six;
            std::memcpy(&six, one->ifa_addr, sizeof six);
            if (!IN6_IS_ADDR_LINKLOCAL(&six.sin6_addr))
                std::memcpy(found[count++].data(), &six.sin6_addr, 16);
        }
    }
    freeifaddrs(all);
    return count;
}

socket_handle accept_connection(const socket_handle &listener) noexcept {
    int descriptor = -1;
    do
        descriptor = accept4(listener.descriptor(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    while (descriptor < 0 && errno == EINTR);
    if (descriptor >= 0)
        set_option(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
    return socket_handle(descriptor);
}

socket_handle connect_to(const host_address &address, std::uint16_t port,
                         presence_clock::time_point deadline) noexcept {
    socket_address there = address_of(address, port);
    socket_handle made(::socket(there.storage.ss_family, kind_of_socket, 0));
    if (!made.is_open())
        return {};
    set_option(made.descriptor(), IPPROTO_TCP, TCP_NODELAY, 1);
    // A connection that a signal interrupts goes on by itself.
    if (::connect(made.descriptor(), there.any(), there.size) != 0 && errno != EINPROGRESS &&
        errno != EINTR)
        return {};
    int problem = 0;
    socklen_t size = sizeof problem;
    if (!wait_for(made.descriptor(), POLLOUT, deadline) ||
        getsockopt(made.descriptor(), SOL_SOCKET, SO_ERROR, &problem, &size) != 0 || problem != 0)
        return {};
    return made;
}

void probe_when_idle(const socket_handle &socket) noexcept {
    set_option(socket.descriptor(), SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(socket.descriptor(), IPPROTO_TCP, TCP_KEEPIDLE, 60);
    set_option(socket.descriptor(), IPPROTO_TCP, TCP_KEEPINTVL, 20);
    set_option(socket.descriptor(), IPPROTO_TCP, TCP_KEEPCNT, 3);
}

std::ptrdiff_t send_some(const socket_handle &socket, std::span<const std::byte> data) noexcept {
    ssize_t result = 0;
    do
        result = send(socket.descriptor(), data.data(), data.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    while (result < 0 && errno == EINTR);
    return outcome_of(result);
}

std::ptrdiff_t receive_some(const socket_handle &socket, std::span<std::byte> data) noexcept {
    ssize_t result = 0;
    do
        result = recv(socket.descriptor(), data.data(), data.size(), MSG_DONTWAIT);
    while (result < 0 && errno == EINTR);
    return outcome_of(result);
}

bool send_all(const socket_handle &socket, std::span<const std::byte> data,
              presence_clock::time_point deadline) noexcept {
    while (!data.empty()) {
        const std::ptrdiff_t sent = send_some(socket, data);
        if (sent == is_closed ||
            (sent == not_now && !wait_for(socket.descriptor(), POLLOUT, deadline)))
            return false;
        data = data.subspan(static_cast<std::size_t>(sent));
    }
    return true;
}

bool receive_all(const socket_handle &socket, std::span<std::byte> data,
                 presence_clock::time_point deadline) noexcept {
    while (!data.empty()) {
        const std::ptrdiff_t received = receive_some(socket, data);
        if (received == is_closed ||
            (received == not_now && !wait_for(socket.descriptor(), POLLIN, deadline)))
            return false;
        data = data.subspan(static_cast<std::size_t>(received));
    }
    return true;
}

int milliseconds_until(presence_clock::time_point deadline) noexcept {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - presence_clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1000000));
}

} // namespace tenfold::dist_impl
