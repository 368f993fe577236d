// A presence's questions: where all ranks stand, asked of the root and collected by it.
#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include "distributed/presence/presence.hpp"
#include "distributed/presence/presence_messages.hpp"
#include "distributed/presence/watcher.hpp"

namespace tenfold::dist_impl {
namespace {

using namespace std::chrono_literals;

/// What the root allows its children to answer in, and by how much less each of them allows its
/// own.
constexpr presence_clock::duration patience_of_the_root = 4s;
constexpr presence_clock::duration less_for_children = 500ms;
/// A question that was not answered in this time is passed on again.
constexpr presence_clock::duration patience_with_a_question = 5s;

} // namespace

std::uint64_t presence::ask() noexcept {
    const std::lock_guard lock(watcher::instance().mutex());
    // The answer may be there at once, where nobody else is left to be asked.
    const std::uint64_t number = answers_.load(std::memory_order_relaxed) + 1;
    try {
        pass_question();
    } catch (const std::bad_alloc &) { // there will be no answer
    }
    watcher::instance().wake(); // for the deadline
    return number;
}

std::string presence::last_answer() const {
    const std::lock_guard lock(watcher::instance().mutex());
    return answer_.groups().empty() ? std::string() : answer_.text(size_);
}

/// The root, or a rank whose parent's process has ended.
bool presence::is_root() const noexcept {
    return rank_ == 0 || !connections_.front().socket.is_open();
}

/// Questions of several ranks become one.
void presence::pass_question() {
    if (is_root()) {
        if (!collects_)
            begin_collecting(round_ + 1, patience_of_the_root);
        return;
    }
    const auto now = presence_clock::now();
    if (now < asked_at_ + patience_with_a_question)
        return;
    asked_at_ = now;
    send(connections_.front(), message::question, {});
}

void presence::begin_collecting(std::uint32_t round, presence_clock::duration patience) {
    collected_.clear();
    collected_.add(own_standing());
    round_ = round;
    collects_ = true;
    collects_until_ = presence_clock::now() + patience;
    const auto theirs = std::max(patience - less_for_children, less_for_children);
    const collect_request asked{
        round, static_cast<std::uint32_t>(
                   std::chrono::duration_cast<std::chrono::milliseconds>(theirs).count())};
    for (std::size_t i = rank_ > 0 ? 1 : 0; i < connections_.size(); ++i) {
        connections_[i].owes_part = connections_[i].socket.is_open();
        send(connections_[i], message::collect, message_bytes(asked));
    }
    end_collecting();
}

/// Does nothing while somebody may still answer.
void presence::end_collecting() {
    const bool is_late = presence_clock::now() >= collects_until_;
    for (const connection &one : connections_)
        if (one.owes_part && !is_late)
            return;
    collects_ = false;
    for (connection &one : connections_)
        one.owes_part = false;
    if (is_root())
        return deliver(std::move(collected_));
    std::vector<std::byte> content(sizeof round_);
    std::memcpy(content.data(), &round_, sizeof round_);
    collected_.write(content);
    send(connections_.front(), message::part, content);
}

void presence::deliver(standings &&found) {
    asked_at_ = {};
    std::vector<std::byte> content;
    found.write(content);
    for (connection &one : connections_)
        if (std::exchange(one.asks, false))
            send(one, message::answer, content);
    answer_ = std::move(found);
    answers_.fetch_add(1, std::memory_order_release);
}

standing_group presence::own_standing() const {
    const std::uint64_t place = place_.load(std::memory_order_acquire);
    standing_group own;
    own.where = has_left_ ? stand::gone : static_cast<stand>(place & 3);
    own.call = place >> 2;
    own.operation = operation_.load(std::memory_order_relaxed);
    own.ranks.push_back({rank_, rank_});
    return own;
}

} // namespace tenfold::dist_impl
