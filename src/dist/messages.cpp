// How the communicator moves bytes: control through MPI's collectives, payload on point-to-point.
#include <algorithm>
#include <chrono>
#include <cstring>

#include <sched.h>

#include "dist/communicator.hpp"

namespace tenfold::dist_impl {
namespace {

constexpr int tag = 10;

} // namespace

// MPI is called from one thread only, whatever thread level it offers, so that the watchdog polls
// instead of watching from a thread of its own; without one, MPI waits in its own way.

void communicator::watch(const std::function<bool()> &is_through,
                         const std::function<std::string()> &waiting_for) const {
    using clock = std::chrono::steady_clock;
    const auto start = clock::now();
    timed_wait traced(recorder_, "wait");
    while (!traced.poll(is_through)) {
        const std::chrono::duration<double> waited = clock::now() - start;
        if (watchdog_ > 0 && waited.count() > watchdog_)
            fail(operation_ + ", collective call " + std::to_string(calls_) + ": no progress for " +
                 std::to_string(static_cast<long>(watchdog_)) + " seconds, waiting for " +
                 waiting_for());
        sched_yield(); // ranks may share this core
    }
}

void communicator::finish(MPI_Request request) const {
    watch(
        [&] {
            int done = 0;
            check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
            return done != 0;
        },
        [] { return std::string("ranks that have not made this call"); });
}

std::byte *communicator::control_buffer(index_t size) {
    if (static_cast<index_t>(control_.size()) < size)
        control_.resize(static_cast<std::size_t>(size));
    return control_.data();
}

void communicator::maximum(std::span<const std::uint64_t> mine, std::span<std::uint64_t> of_all) {
    const int count = static_cast<int>(mine.size());
    if (!polls()) {
        check(MPI_Allreduce(mine.data(), of_all.data(), count, MPI_UINT64_T, MPI_MAX, comm_),
              "MPI_Allreduce");
        return;
    }
    const auto size = static_cast<index_t>(mine.size_bytes());
    std::byte *sent = control_buffer(2 * size);
    std::byte *received = sent + size;
    std::memcpy(sent, mine.data(), mine.size_bytes());
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallreduce(sent, received, count, MPI_UINT64_T, MPI_MAX, comm_, &request),
          "MPI_Iallreduce");
    finish(request);
    std::memcpy(of_all.data(), received, of_all.size_bytes());
}

void communicator::all_gather(const void *mine, index_t size, void *all) {
    const int count = static_cast<int>(size);
    if (!polls()) {
        check(MPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, comm_), "MPI_Allgather");
        return;
    }
    std::byte *sent = control_buffer(size * (size_ + 1));
    std::byte *received = sent + size;
    std::memcpy(sent, mine, static_cast<std::size_t>(size));
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallgather(sent, count, MPI_BYTE, received, count, MPI_BYTE, comm_, &request),
          "MPI_Iallgather");
    finish(request);
    std::memcpy(all, received, static_cast<std::size_t>(size * size_));
}

void communicator::broadcast(void *data, index_t size, int root) {
    const int count = static_cast<int>(size);
    if (!polls()) {
        check(MPI_Bcast(data, count, MPI_BYTE, root, comm_), "MPI_Bcast");
        return;
    }
    std::byte *buffer = control_buffer(size);
    std::memcpy(buffer, data, static_cast<std::size_t>(size));
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ibcast(buffer, count, MPI_BYTE, root, comm_, &request), "MPI_Ibcast");
    finish(request);
    std::memcpy(data, buffer, static_cast<std::size_t>(size));
}

void communicator::start_send(const void *data, index_t size, int to,
                              std::vector<MPI_Request> &requests) {
    const timed traced(recorder_, activity::communication, "send");
    const char *rest = static_cast<const char *>(data);
    while (size > 0) {
        const index_t piece = std::min(size, message_limit());
        requests.push_back(MPI_REQUEST_NULL);
        check(MPI_Isend(rest, static_cast<int>(piece), MPI_BYTE, to, tag, comm_, &requests.back()),
              "MPI_Isend");
        rest += piece;
        size -= piece;
    }
}

void communicator::start_receive(void *data, index_t size, int from,
                                 std::vector<MPI_Request> &requests) {
    const timed traced(recorder_, activity::communication, "receive");
    char *rest = static_cast<char *>(data);
    bytes_received_ += static_cast<std::uint64_t>(size);
    while (size > 0) {
        const index_t piece = std::min(size, message_limit());
        requests.push_back(MPI_REQUEST_NULL);
        check(
            MPI_Irecv(rest, static_cast<int>(piece), MPI_BYTE, from, tag, comm_, &requests.back()),
            "MPI_Irecv");
        rest += piece;
        size -= piece;
    }
}

void communicator::progress(std::vector<MPI_Request> &requests) {
    if (requests.empty())
        return;
    const timed traced(recorder_, activity::communication, "progress");
    int through = 0;
    places_.resize(requests.size());
    check(MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &through, places_.data(),
                       MPI_STATUSES_IGNORE),
          "MPI_Testsome");
}

int communicator::wait_any(std::vector<MPI_Request> &requests,
                           const std::function<int(std::size_t)> &peer_of) {
    const int count = static_cast<int>(requests.size());
    int place = MPI_UNDEFINED;
    if (!polls()) {
        check(MPI_Waitany(count, requests.data(), &place, MPI_STATUS_IGNORE), "MPI_Waitany");
    } else {
        const auto is_through = [&] {
            int done = 0;
            check(MPI_Testany(count, requests.data(), &place, &done, MPI_STATUS_IGNORE),
                  "MPI_Testany");
            return done != 0;
        };
        watch(is_through, [&] {
            const auto open = std::find_if(requests.begin(), requests.end(),
                                           [](MPI_Request r) { return r != MPI_REQUEST_NULL; });
            return "rank " +
                   std::to_string(peer_of(static_cast<std::size_t>(open - requests.begin())));
        });
    }
    return place == MPI_UNDEFINED ? -1 : place;
}

} // namespace tenfold::dist_impl
