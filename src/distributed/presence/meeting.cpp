#include "distributed/presence/meeting.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <poll.h>
#include <sys/random.h>

namespace tenfold::dist_impl {
namespace {

/// Long enough for a rank that shares a core with 63 others.
constexpr std::chrono::seconds patience_of_a_meeting{10};
/// An address behind a wall does not answer at all ..
constexpr std::chrono::seconds patience_with_an_address{2};
/// .. and a stranger at an address that exists twice may never say a word.
constexpr std::chrono::seconds patience_with_a_stranger{5};

/// What a child says first.
struct greeting {
    std::int32_t child = 0;
    std::int32_t parent = 0;
    world_secret secret{};
};
/// What the parent answers. It proves that the parent knows the secret, too: an address may belong
/// to a stranger on another network.
struct welcome {
    world_secret secret{};
};

template <class T> std::span<std::byte> writable_bytes_of(T &value) noexcept {
    return std::as_writable_bytes(std::span(&value, 1));
}

/// Takes the same time wherever the difference is.
bool same(const world_secret &one, const world_secret &other) noexcept {
    std::byte difference{0};
    for (std::size_t i = 0; i < one.size(); ++i)
        difference |= one[i] ^ other[i];
    return difference == std::byte{0};
}

welcome answer_of(const world_secret &secret) noexcept {
    welcome made;
    std::transform(secret.begin(), secret.end(), made.secret.begin(),
                   [](std::byte one) { return ~one; });
    return made;
}

/// A connection whose greeting has not arrived as a whole.
struct newcomer {
    socket_handle socket;
    greeting said;
    std::size_t received = 0;

    /// Returns false if the connection has ended.
    bool read() noexcept {
        while (received < sizeof said) {
            const std::ptrdiff_t more =
                receive_some(socket, writable_bytes_of(said).subspan(received));
            if (more == is_closed)
                return false;
            if (more == not_now)
                return true;
            received += static_cast<std::size_t>(more);
        }
        return true;
    }
};

} // namespace

bool draw_secret(world_secret &secret) noexcept {
    std::span<std::byte> rest(secret);
    while (!rest.empty()) {
        const ssize_t drawn = getrandom(rest.data(), rest.size(), 0);
        if (drawn < 0 && errno != EINTR)
            return false;
        rest = rest.subspan(static_cast<std::size_t>(std::max<ssize_t>(drawn, 0)));
    }
    return true;
}

presence_card meeting::open(bool local) noexcept {
    presence_card card;
    local_ = local;
    listener_ = listen_for_ranks(local, card.port);
    if (!listener_.is_open())
        return {};
    if (!local)
        card.address_count = static_cast<std::uint16_t>(
            find_own_addresses(std::span(card.addresses).first(card.addresses.size() - 1)));
    card.addresses[card.address_count++] = loopback_address;
    return card;
}

bool meeting::accept_children(const world_secret &secret, std::span<socket_handle> children,
                              presence_clock::time_point deadline) const noexcept {
    constexpr std::size_t most = 32; // strangers beyond them wait
    std::array<newcomer, most> newcomers;
    auto missing = children.size();
    while (missing > 0) {
        std::array<pollfd, most + 1> polled;
        bool has_room = false;
        for (std::size_t i = 0; i < most; ++i) {
            polled[i] = {newcomers[i].socket.descriptor(), POLLIN, 0}; // none: is ignored
            has_room = has_room || !newcomers[i].socket.is_open();
        }
        polled[most] = {has_room ? listener_.descriptor() : -1, POLLIN, 0};
        const int ready = poll(polled.data(), polled.size(), milliseconds_until(deadline));
        if (ready == 0 || (ready < 0 && errno != EINTR))
            return false;

        for (newcomer &one : newcomers) {
            if (!one.socket.is_open())
                continue;
            if (!one.read()) {
                one = {};
                continue;
            }
            if (one.received < sizeof one.said)
                continue;
            // In 64 bits: a stranger says any number.
            const auto place =
                static_cast<std::size_t>(std::int64_t{one.said.child} - first_child_of(rank_));
            welcome answer = answer_of(secret);
            if (same(one.said.secret, secret) && one.said.parent == rank_ &&
                place < children.size() &&
                send_all(one.socket, writable_bytes_of(answer), deadline)) {
                missing -= children[place].is_open() ? 0U : 1U; // else the child tried once more
                children[place] = std::move(one.socket);
            }
            one = {};
        }
        for (newcomer &one : newcomers)
            if (!one.socket.is_open()) {
                one.socket = accept_connection(listener_);
                if (!one.socket.is_open())
                    break;
            }
    }
    return true;
}

socket_handle meeting::connect_to_parent(const world_secret &secret, const presence_card &card,
                                         presence_clock::time_point deadline) const noexcept {
    const welcome expected = answer_of(secret);
    for (std::size_t i = 0; i < std::min<std::size_t>(card.address_count, card.addresses.size());
         ++i) {
        const bool is_last = i + 1 == card.address_count;
        const auto until = [&](presence_clock::duration patience) {
            return is_last ? deadline : std::min(deadline, presence_clock::now() + patience);
        };
        socket_handle made =
            connect_to(card.addresses[i], card.port, until(patience_with_an_address));
        greeting mine{rank_, presence_parent_of(rank_), secret};
        welcome answer;
        const auto answered_by = until(patience_with_a_stranger);
        if (made.is_open() && send_all(made, writable_bytes_of(mine), answered_by) &&
            receive_all(made, writable_bytes_of(answer), answered_by) &&
            same(answer.secret, expected.secret))
            return made;
    }
    return {};
}

bool meeting::connect(const world_secret &secret, const presence_card &card, socket_handle &parent,
                      std::span<socket_handle> children) noexcept {
    const auto deadline = presence_clock::now() + patience_of_a_meeting;
    // A rank connects to its parent when it has its children, so that leaves begin and no rank
    // waits for one that waits for it.
    const bool has_children = accept_children(secret, children, deadline);
    listener_.close();
    if (!has_children)
        return false;
    if (rank_ > 0)
        parent = connect_to_parent(secret, card, deadline);
    if (rank_ > 0 && !parent.is_open())
        return false;
    if (!local_) {
        if (rank_ > 0)
            probe_when_idle(parent);
        for (const socket_handle &child : children)
            probe_when_idle(child);
    }
    return true;
}

} // namespace tenfold::dist_impl
