// Control messages are a few words between ranks. They use point-to-point messages of our own
// instead of MPI's collectives, so that a rank that waits knows for which rank.
#include <algorithm>
#include <cstring>
#include <utility>

#include "distributed/comm/communicator.hpp"

namespace tenfold::dist_impl {
namespace {

constexpr int control_tag = 11;
constexpr int note_tag = 12;

/// The watchdog of a rank that waits for a call's first message fires first, because that rank
/// knows which rank skipped the call. Other ranks wait for ranks that wait themselves; their
/// watchdog takes longer by this factor.
constexpr double patience_of_the_others = 1.25;

std::string rank_text(int rank) { return "rank " + std::to_string(rank); }

} // namespace

void communicator::prepare_control(index_t size) {
    if (control_buffer_size_ >= size)
        return;
    if (failed_) // MPI may still write to it
        static_cast<void>(control_buffer_.release());
    control_buffer_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(size));
    control_buffer_size_ = size;
}

std::byte *communicator::control_buffer(index_t size) {
    prepare_control(size);
    return control_buffer_.get();
}

void communicator::transfer(const control_message &sent, const control_message &received) {
    // A rank sends the first message of a call without waiting for another one. If it does not
    // come, that rank has not made the call.
    const bool is_first = std::exchange(call_begins_, false);
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    const auto peers = [&] {
        // While MPI_Sendrecv waits, the program cannot tell which of the two messages is missing.
        const bool receives =
            polls() ? requests[0] != MPI_REQUEST_NULL : received.peer != MPI_PROC_NULL;
        return rank_text(receives ? received.peer : sent.peer) +
               (is_first && receives ? ", which has not made this call" : "");
    };
    const waiting here(*this, peers);
    control_.sends += sent.peer != MPI_PROC_NULL ? 1 : 0;
    control_.receives += received.peer != MPI_PROC_NULL ? 1 : 0;
    if (!polls()) {
        check(MPI_Sendrecv(sent.data, static_cast<int>(sent.size), MPI_BYTE, sent.peer, control_tag,
                           received.data, static_cast<int>(received.size), MPI_BYTE, received.peer,
                           control_tag, comm_, MPI_STATUS_IGNORE),
              "MPI_Sendrecv");
        control_.through = control_.sends + control_.receives;
        return;
    }
    check(MPI_Irecv(received.data, static_cast<int>(received.size), MPI_BYTE, received.peer,
                    control_tag, comm_, &requests[0]),
          "MPI_Irecv");
    check(MPI_Isend(sent.data, static_cast<int>(sent.size), MPI_BYTE, sent.peer, control_tag, comm_,
                    &requests[1]),
          "MPI_Isend");
    const int with[2] = {received.peer, sent.peer};
    const auto is_through = [&] {
        for (int i = 0; i < 2; ++i) {
            int done = 0;
            if (requests[i] != MPI_REQUEST_NULL)
                check(MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE), "MPI_Test");
            control_.through += done != 0 && with[i] != MPI_PROC_NULL ? 1 : 0;
        }
        return requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL;
    };
    try {
        watch(is_through, watchdog_ * (is_first ? 1 : patience_of_the_others));
    } catch (...) { // the requests complete when they can; their buffers are kept
        for (MPI_Request &request : requests)
            if (request != MPI_REQUEST_NULL)
                MPI_Request_free(&request);
        throw;
    }
}

/// Dissemination: in round i every rank receives from the rank 2^i before it what that rank knows,
/// so after ceil(log2 P) rounds all know the maximum. Some values are included twice, which does
/// not change a maximum.
void communicator::maximum(std::span<const std::uint64_t> mine, std::span<std::uint64_t> of_all) {
    const auto size = static_cast<index_t>(mine.size_bytes());
    std::byte *sent = control_buffer(2 * size);
    std::byte *received = sent + size;
    std::copy(mine.begin(), mine.end(), of_all.begin());
    for (int distance = 1; distance < size_; distance *= 2) {
        std::memcpy(sent, of_all.data(), mine.size_bytes());
        transfer({sent, size, (rank_ + distance) % size_},
                 {received, size, (rank_ + size_ - distance) % size_});
        for (std::size_t i = 0; i < of_all.size(); ++i) {
            std::uint64_t other = 0;
            std::memcpy(&other, received + i * sizeof other, sizeof other);
            of_all[i] = std::max(of_all[i], other);
        }
    }
}

/// Bruck, Ho, Kipnis, Upfal, Weathersby 1997: block i of the buffer belongs to the rank i places
/// after this one. The number of known blocks doubles in each of ceil(log2 P) rounds.
void communicator::all_gather(const void *mine, index_t size, void *all) {
    std::byte *blocks = control_buffer(size * size_);
    std::memcpy(blocks, mine, static_cast<std::size_t>(size));
    for (int known = 1; known < size_; known *= 2) {
        const index_t bytes = std::min(known, size_ - known) * size;
        transfer({blocks, bytes, (rank_ + size_ - known) % size_},
                 {blocks + known * size, bytes, (rank_ + known) % size_});
    }
    auto *out = static_cast<std::byte *>(all);
    const index_t before = (size_ - rank_) * size; // bytes of the blocks of this rank and of all
                                                   // later ones
    std::memcpy(out + rank_ * size, blocks, static_cast<std::size_t>(before));
    std::memcpy(out, blocks + before, static_cast<std::size_t>(rank_ * size));
}

/// Broadcasts along a binomial tree.
void communicator::broadcast(void *data, index_t size, int root) {
    std::byte *buffer = control_buffer(size);
    const int place = (rank_ + size_ - root) % size_;
    const auto rank_of = [&](int other) { return (other + root) % size_; };
    int reach = 1;
    while (reach < size_ && (place & reach) == 0)
        reach *= 2;
    if (place == 0)
        std::memcpy(buffer, data, static_cast<std::size_t>(size));
    else
        transfer({buffer, 0, MPI_PROC_NULL}, {buffer, size, rank_of(place - reach)});
    while ((reach /= 2) > 0)
        if (place + reach < size_)
            transfer({buffer, size, rank_of(place + reach)}, {nullptr, 0, MPI_PROC_NULL});
    if (place != 0)
        std::memcpy(data, buffer, static_cast<std::size_t>(size));
}

void communicator::reduce(void *data, index_t size,
                          base::function_ref<void(void *, const void *)> add) {
    std::byte *buffer = control_buffer(size);
    for (int reach = 1; reach < size_; reach *= 2) {
        if ((rank_ & reach) != 0) {
            std::memcpy(buffer, data, static_cast<std::size_t>(size));
            transfer({buffer, size, rank_ - reach}, {nullptr, 0, MPI_PROC_NULL});
            return;
        }
        if (rank_ + reach < size_) {
            transfer({nullptr, 0, MPI_PROC_NULL}, {buffer, size, rank_ + reach});
            add(data, buffer);
        }
    }
}

void communicator::start_note(const void *data, index_t size, int to, MPI_Request &request) {
    ++control_.sends;
    check(MPI_Isend(data, static_cast<int>(size), MPI_BYTE, to, note_tag, comm_, &request),
          "MPI_Isend");
}

void communicator::start_note_receive(void *data, index_t size, int from, MPI_Request &request) {
    ++control_.receives;
    check(MPI_Irecv(data, static_cast<int>(size), MPI_BYTE, from, note_tag, comm_, &request),
          "MPI_Irecv");
}

void communicator::wait_for_notes(std::span<MPI_Request> requests, int peer) {
    const auto is_through = [&] {
        bool all = true;
        for (MPI_Request &one : requests) {
            if (one == MPI_REQUEST_NULL)
                continue;
            int done = 0;
            check(MPI_Test(&one, &done, MPI_STATUS_IGNORE), "MPI_Test");
            control_.through += done != 0 ? 1 : 0;
            all = all && done != 0;
        }
        return all;
    };
    if (is_through()) // most are
        return;
    const auto peers = [&] { return rank_text(peer); };
    const waiting here(*this, peers);
    watch(is_through, watchdog_);
}

int communicator::find_note() {
    int is_there = 0;
    MPI_Status status;
    check(MPI_Iprobe(MPI_ANY_SOURCE, note_tag, comm_, &is_there, &status), "MPI_Iprobe");
    return is_there != 0 ? status.MPI_SOURCE : -1;
}

int communicator::await_note() {
    int from = find_note();
    if (from >= 0)
        return from;
    const auto peers = [] { return std::string("ranks that do tasks"); };
    const waiting here(*this, peers);
    const auto is_there = [&] {
        from = find_note();
        return from >= 0;
    };
    watch(is_there, watchdog_);
    return from;
}

void communicator::receive_note(void *data, index_t size, int from) {
    ++control_.receives;
    check(
        MPI_Recv(data, static_cast<int>(size), MPI_BYTE, from, note_tag, comm_, MPI_STATUS_IGNORE),
        "MPI_Recv");
    ++control_.through;
}

} // namespace tenfold::dist_impl
