// One rank's part in knowing who of a world is there. It asks and answers without MPI and without
// the rank's own thread, which may compute or sleep.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "distributed/presence/meeting.hpp"
#include "distributed/presence/standings.hpp"

namespace tenfold::dist_impl {

enum class departure_kind : std::uint32_t {
    none,
    freed,     ///< the rank let go of the world
    finalised, ///< it reached MPI_Finalize
    ended      ///< its process or its host ended without a word
};

/// A rank that makes no more calls.
struct departure {
    std::int32_t rank = -1;
    departure_kind kind = departure_kind::none;
    /// The collective calls for which the rank has sent everything. 0 if it ended without a word.
    std::uint64_t completed = 0;

    /// "it reached MPI_Finalize after collective call 5".
    std::string text() const;
};

/// A node of a tree of connections. Where a rank stands is published in an atomic; connections are
/// guarded by the watcher's mutex. Departures flow through the whole tree as they happen. Questions
/// go up to the root, which collects the answers of all ranks and sends them to those who asked.
/// A rank that has left stays a node until the nodes below have left.
class presence {
public:
    /// Throws std::bad_alloc; then nothing allocates until somebody asks.
    presence(int rank, int size);
    presence(const presence &) = delete;
    presence &operator=(const presence &) = delete;

    /// For the meeting, before the watcher knows of this object.
    socket_handle &parent() noexcept { return parent_; }
    std::span<socket_handle> children() noexcept { return children_; }

    // The rank's own thread calls these.

    /// A collective call begins. `operation` is a string literal.
    void begin_call(const char *operation, std::uint64_t number) noexcept;
    void stand_at(stand where) noexcept;
    /// A call ended before this rank had sent all that it should.
    void break_call() noexcept { is_broken_ = true; }
    /// Messages of the collective call `number` go on in the background; UINT64_MAX: of none.
    void owe_since(std::uint64_t number) noexcept { owes_since_ = number; }

    /// Returns true if a rank has left that will not take part in the collective call `number`.
    bool misses_somebody(std::uint64_t number) const noexcept {
        return least_completed_.load(std::memory_order_acquire) < number;
    }
    /// Returns the first of them that was heard of. Others may have left because of it.
    departure who_is_missing(std::uint64_t number) const noexcept;

    /// Asks where all ranks stand. Returns a number for has_answer().
    std::uint64_t ask() noexcept;
    bool has_answer(std::uint64_t number) const noexcept {
        return answers_.load(std::memory_order_acquire) >= number;
    }
    /// Returns the last answer as text; empty if there is none. Throws std::bad_alloc.
    std::string last_answer() const;

    /// Tells all ranks that this one makes no more calls. Further calls have no effect.
    void leave(departure_kind kind) noexcept;
    /// Closes the connections without a word: nobody may rely on this object.
    void give_up() noexcept;
    /// Returns true in a child of fork().
    bool is_abandoned() const noexcept { return is_abandoned_; }

private:
    friend class watcher;

    enum class message : std::uint32_t { goodbye, question, collect, part, answer };
    struct connection {
        socket_handle socket;
        int rank = -1;
        std::vector<std::byte> in, out; ///< bytes of messages that are not complete or not sent
        bool asks = false;              ///< wants the answer to a question
        bool owes_part = false;         ///< has not answered for its part of the tree
        bool is_shut = false;           ///< nothing more is sent
        bool waits_for_room = false;    ///< to send
    };

    // The caller holds the watcher's mutex.
    bool watch_by(int poll_descriptor) noexcept;
    void abandon() noexcept;
    void leave_now(departure_kind kind) noexcept;
    void serve();
    presence_clock::time_point deadline() const noexcept {
        return collects_ ? collects_until_ : presence_clock::time_point::max();
    }
    bool is_over() const noexcept;

    void serve(connection &from);
    bool handle(connection &from, message what, std::span<const std::byte> content);
    void send(connection &to, message what, std::span<const std::byte> content);
    void flush(connection &to) noexcept;
    void close(connection &which);
    void close_if_all_have_left() noexcept;
    bool is_root() const noexcept;
    void note(const departure &one, const connection *from);
    void pass_question();
    void begin_collecting(std::uint32_t round, presence_clock::duration patience);
    void end_collecting();
    void deliver(standings &&found);
    standing_group own_standing() const;
    std::uint64_t completed() const noexcept;

    const int rank_;
    const int size_;
    socket_handle parent_;
    std::vector<socket_handle> children_;

    std::atomic<std::uint64_t> place_{0}; ///< number of the call, and two bits that are a `stand`
    std::atomic<const char *> operation_{"nothing"};
    std::atomic<bool> is_broken_{false};
    std::atomic<std::uint64_t> owes_since_{UINT64_MAX};
    std::atomic<bool> is_abandoned_{false};
    std::atomic<std::uint64_t> least_completed_{UINT64_MAX}; ///< of all that have left
    std::atomic<std::uint64_t> answers_{0};

    std::vector<connection> connections_; ///< the parent's first, but for the root
    int poll_descriptor_ = -1;
    std::vector<departure> departures_; ///< as they were heard of; the tree keeps that order
    std::vector<bool> is_gone_;         ///< by rank
    bool has_left_ = false;
    standings answer_;
    presence_clock::time_point asked_at_{}; ///< the parent
    bool collects_ = false;
    std::uint32_t round_ = 0;
    presence_clock::time_point collects_until_{};
    standings collected_;
};

} // namespace tenfold::dist_impl
