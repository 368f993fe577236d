#include "distributed/presence/presence.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include <sys/epoll.h>
#include <sys/socket.h>

#include "distributed/presence/presence_messages.hpp"
#include "distributed/presence/watcher.hpp"

namespace tenfold::dist_impl {
namespace {

constexpr std::size_t room = 1024; ///< for messages in each direction, without allocating
constexpr std::uint32_t longest_message = 1U << 26;

} // namespace

std::string departure::text() const {
    const std::string after = " after collective call " + std::to_string(completed);
    switch (kind) {
    case departure_kind::none:
        break;
    case departure_kind::freed:
        return "it freed the world" + after;
    case departure_kind::finalised:
        return "it reached MPI_Finalize" + after;
    case departure_kind::ended:
        return "its process has ended";
    }
    return "it is there";
}

presence::presence(int rank, int size)
    : rank_(rank), size_(size), children_(static_cast<std::size_t>(count_children_of(rank, size))),
      connections_(children_.size() + (rank > 0 ? 1U : 0U)),
      is_gone_(static_cast<std::size_t>(size)) {
    departures_.reserve(is_gone_.size());
    for (connection &one : connections_) {
        one.in.reserve(room);
        one.out.reserve(room);
    }
}

// --- the rank's own thread

void presence::begin_call(const char *operation, std::uint64_t number) noexcept {
    operation_.store(operation, std::memory_order_relaxed);
    place_.store(number << 2 | static_cast<std::uint64_t>(stand::working),
                 std::memory_order_release);
}

void presence::stand_at(stand where) noexcept {
    place_.store((place_.load(std::memory_order_relaxed) & ~std::uint64_t{3}) |
                     static_cast<std::uint64_t>(where),
                 std::memory_order_release);
}

departure presence::who_is_missing(std::uint64_t number) const noexcept {
    const std::lock_guard lock(watcher::instance().mutex());
    for (const departure &one : departures_)
        if (one.rank != rank_ && one.completed < number)
            return one;
    return {};
}

void presence::leave(departure_kind kind) noexcept {
    watcher &all = watcher::instance();
    const std::lock_guard lock(all.mutex());
    leave_now(kind);
    all.wake();
}

void presence::give_up() noexcept {
    watcher &all = watcher::instance();
    const std::lock_guard lock(all.mutex());
    abandon();
    all.wake();
}

// --- under the watcher's mutex

bool presence::watch_by(int poll_descriptor) noexcept {
    poll_descriptor_ = poll_descriptor;
    std::size_t next = 0;
    if (rank_ > 0) {
        connections_[next].rank = presence_parent_of(rank_);
        connections_[next++].socket = std::move(parent_);
    }
    int child = first_child_of(rank_);
    for (socket_handle &one : children_) {
        connections_[next].rank = child++;
        connections_[next++].socket = std::move(one);
    }
    return std::all_of(connections_.begin(), connections_.end(), [&](const connection &one) {
        epoll_event wanted{};
        wanted.events = EPOLLIN;
        return epoll_ctl(poll_descriptor, EPOLL_CTL_ADD, one.socket.descriptor(), &wanted) == 0;
    });
}

void presence::abandon() noexcept {
    is_abandoned_ = true;
    has_left_ = true;
    collects_ = false;
    for (connection &one : connections_)
        one.socket.close();
    parent_.close();
    for (socket_handle &one : children_)
        one.close();
}

void presence::leave_now(departure_kind kind) noexcept {
    if (has_left_)
        return;
    has_left_ = true;
    try {
        note({rank_, kind, completed()}, nullptr);
    } catch (const std::bad_alloc &) { // the others will see that the connections end
    }
    close_if_all_have_left();
}

std::uint64_t presence::completed() const noexcept {
    const std::uint64_t place = place_.load(std::memory_order_relaxed);
    const std::uint64_t call = place >> 2;
    const bool is_between_calls = (place & 3) == static_cast<std::uint64_t>(stand::outside);
    const std::uint64_t known =
        is_between_calls && !is_broken_ ? call : std::max<std::uint64_t>(call, 1) - 1;
    return std::min(known, owes_since_.load(std::memory_order_relaxed) - 1);
}

void presence::serve() {
    for (connection &one : connections_)
        if (one.socket.is_open())
            serve(one);
    if (collects_ && presence_clock::now() >= collects_until_)
        end_collecting();
    close_if_all_have_left();
}

void presence::serve(connection &from) {
    flush(from);
    for (;;) {
        if (from.in.capacity() - from.in.size() < room / 4)
            from.in.reserve(2 * from.in.capacity()); // before anything is taken from the socket
        const std::size_t before = from.in.size();
        from.in.resize(from.in.capacity());
        const std::ptrdiff_t received =
            receive_some(from.socket, std::span(from.in).subspan(before));
        from.in.resize(before + static_cast<std::size_t>(std::max<std::ptrdiff_t>(received, 0)));

        std::span<const std::byte> rest(from.in);
        bool is_valid = true;
        for (message_head next{}; is_valid && read_message(rest, next);) {
            is_valid = next.size <= longest_message;
            if (!is_valid || rest.size() - sizeof next < next.size)
                break;
            is_valid =
                handle(from, static_cast<message>(next.what), rest.subspan(sizeof next, next.size));
            rest = rest.subspan(sizeof next + next.size);
        }
        from.in.erase(from.in.begin(), from.in.end() - static_cast<std::ptrdiff_t>(rest.size()));
        if (received == is_closed || !is_valid)
            return close(from);
        if (received == not_now)
            return;
    }
}

/// Returns false if that is no message.
bool presence::handle(connection &from, message what, std::span<const std::byte> content) {
    switch (what) {
    case message::goodbye: {
        departure one;
        if (!read_message(content, one) || one.rank < 0 || one.rank >= size_)
            return false;
        note(one, &from);
        return true;
    }
    case message::question:
        from.asks = true;
        pass_question();
        return true;
    case message::collect: {
        collect_request asked{};
        if (!read_message(content, asked))
            return false;
        begin_collecting(asked.round, std::chrono::milliseconds(asked.milliseconds));
        return true;
    }
    case message::part: {
        std::uint32_t round = 0;
        standings found;
        if (!read_message(content, round) || !found.read(content.subspan(sizeof round)))
            return false;
        if (!collects_ || round != round_ || !from.owes_part)
            return true; // too late
        collected_.add(found);
        from.owes_part = false;
        end_collecting();
        return true;
    }
    case message::answer: {
        standings found;
        if (!found.read(content))
            return false;
        deliver(std::move(found));
        return true;
    }
    }
    return false;
}

void presence::send(connection &to, message what, std::span<const std::byte> content) {
    if (!to.socket.is_open() || to.is_shut)
        return;
    const message_head first{static_cast<std::uint32_t>(content.size()),
                             static_cast<std::uint32_t>(what)};
    const auto begin = message_bytes(first);
    to.out.reserve(to.out.size() + begin.size() + content.size()); // all of it or nothing
    to.out.insert(to.out.end(), begin.begin(), begin.end());
    to.out.insert(to.out.end(), content.begin(), content.end());
    flush(to);
}

void presence::flush(connection &to) noexcept {
    std::size_t sent = 0;
    std::ptrdiff_t result = 1;
    while (sent < to.out.size() && result > 0) {
        result = send_some(to.socket, std::span<const std::byte>(to.out).subspan(sent));
        sent += static_cast<std::size_t>(std::max<std::ptrdiff_t>(result, 0));
    }
    if (result == is_closed) // receiving will tell, after what the other end has sent before
        sent = to.out.size();
    to.out.erase(to.out.begin(), to.out.begin() + static_cast<std::ptrdiff_t>(sent));
    if (to.waits_for_room != !to.out.empty()) {
        to.waits_for_room = !to.out.empty();
        epoll_event wanted{};
        wanted.events = EPOLLIN;
        if (to.waits_for_room)
            wanted.events |= EPOLLOUT;
        epoll_ctl(poll_descriptor_, EPOLL_CTL_MOD, to.socket.descriptor(), &wanted);
    }
}

void presence::close(connection &which) {
    epoll_ctl(poll_descriptor_, EPOLL_CTL_DEL, which.socket.descriptor(), nullptr);
    which.socket.close();
    which.asks = false;
    if (rank_ > 0 && &which == &connections_.front())
        asked_at_ = {}; // what it was asked it will not answer
    const bool owed = std::exchange(which.owes_part, false);
    if (!is_gone_[static_cast<std::size_t>(which.rank)])
        note({which.rank, departure_kind::ended, 0}, &which);
    if (owed && collects_)
        end_collecting();
}

/// A leaf that has left needs its connection no longer. It tells so, and its parent closes the
/// connection, so that no goodbye is lost to a reset.
void presence::close_if_all_have_left() noexcept {
    if (!has_left_ || connections_.empty())
        return;
    const std::size_t first_child = rank_ > 0 ? 1 : 0;
    for (std::size_t i = first_child; i < connections_.size(); ++i)
        if (connections_[i].socket.is_open())
            return;
    connection &parent = connections_.front();
    if (rank_ > 0 && parent.socket.is_open() && !parent.is_shut && parent.out.empty()) {
        shutdown(parent.socket.descriptor(), SHUT_WR);
        parent.is_shut = true;
    }
}

bool presence::is_over() const noexcept {
    return has_left_ && std::none_of(connections_.begin(), connections_.end(),
                                     [](const connection &one) { return one.socket.is_open(); });
}

void presence::note(const departure &one, const connection *from) {
    const auto place = static_cast<std::size_t>(one.rank);
    if (is_gone_[place])
        return;
    for (connection &other : connections_) // before it counts as told
        other.out.reserve(other.out.size() + sizeof(message_head) + sizeof one);
    is_gone_[place] = true;
    departures_.push_back(one);
    if (one.rank != rank_ && one.completed < least_completed_.load(std::memory_order_relaxed))
        least_completed_.store(one.completed, std::memory_order_release);
    for (connection &other : connections_)
        if (&other != from)
            send(other, message::goodbye, message_bytes(one));
}

} // namespace tenfold::dist_impl
