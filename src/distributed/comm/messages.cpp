// Sends, receives and waits for payload.
#include <algorithm>
#include <chrono>

#include <sched.h>
#include <unistd.h>

#include "base/checked.hpp"
#include "distributed/comm/communicator.hpp"

namespace tenfold::dist_impl {
namespace {

constexpr int data_tag = 10;

/// If ranks share cores, a rank that has waited this long sleeps between polls. To the operating
/// system, a rank that polls is as busy as one that computes, so it might put two computing ranks
/// on one core and two waiting ranks on another. The sleep delays a message by at most a tenth of
/// the time waited.
constexpr std::chrono::milliseconds patience{2};
constexpr useconds_t nap = 200;

/// Returns "rank 1" or "ranks 0, 1 and 5"; each rank is named once.
std::string list_of_ranks(std::vector<int> ranks) {
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    std::string text = ranks.size() == 1 ? "rank" : "ranks";
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const bool is_last = i + 1 == ranks.size();
        text += (i == 0 ? " " : is_last ? " and " : ", ") + std::to_string(ranks[i]);
    }
    return text;
}

} // namespace

// Only one thread calls MPI, whatever thread level MPI offers. Therefore the watchdog polls instead
// of running in a thread of its own. Yielding matters with MPICH, which spins while it waits: with
// three ranks on two cores some tests took 25 s instead of less than one.

void communicator::watch(base::function_ref<bool()> is_through, double seconds) const {
    using clock = std::chrono::steady_clock;
    const auto start = clock::now();
    timed_wait traced(recorder_, "wait");
    bool time_is_over = false;
    double next_report = report_after_;
    while (!traced.poll(is_through)) {
        const auto passed = clock::now() - start;
        const std::chrono::duration<double> waited = passed;
        if (time_is_over)
            fail(without_progress(waited.count()));
        if (reported_to_ != nullptr && waited.count() > next_report) {
            report(waited.count());
            next_report *= 2;
        }
        // One more poll finds a message that came while the system ran another process on this
        // core.
        time_is_over = seconds > 0 && waited.count() > seconds;
        if (crowded_ && passed > patience)
            usleep(nap);
        else
            sched_yield(); // ranks may share this core
    }
}

void communicator::reserve_requests(index_t size, std::vector<MPI_Request> &requests) {
    const auto needed =
        requests.size() + static_cast<std::size_t>(base::divide_up(size, message_limit()));
    if (requests.capacity() < needed)
        surely([&] { requests.reserve(std::max(needed, 2 * requests.capacity())); });
}

void communicator::start_send(const void *data, index_t size, int to,
                              std::vector<MPI_Request> &requests) {
    const timed traced(recorder_, activity::communication, "send");
    const char *rest = static_cast<const char *>(data);
    reserve_requests(size, requests);
    while (size > 0) {
        const index_t piece = std::min(size, message_limit());
        requests.push_back(MPI_REQUEST_NULL);
        ++payload_.sends;
        check(MPI_Isend(rest, static_cast<int>(piece), MPI_BYTE, to, data_tag, comm_,
                        &requests.back()),
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
    reserve_requests(size, requests);
    while (size > 0) {
        const index_t piece = std::min(size, message_limit());
        requests.push_back(MPI_REQUEST_NULL);
        ++payload_.receives;
        check(MPI_Irecv(rest, static_cast<int>(piece), MPI_BYTE, from, data_tag, comm_,
                        &requests.back()),
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
    if (places_.size() < requests.size())
        surely([&] { places_.resize(requests.size()); });
    check(MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &through, places_.data(),
                       MPI_STATUSES_IGNORE),
          "MPI_Testsome");
    payload_.through += static_cast<std::uint64_t>(std::max(0, through)); // or MPI_UNDEFINED
}

int communicator::wait_any(std::vector<MPI_Request> &requests,
                           base::function_ref<int(std::size_t)> peer_of) {
    const int count = static_cast<int>(requests.size());
    int place = MPI_UNDEFINED;
    const auto peers = [&] {
        std::vector<int> open;
        for (std::size_t i = 0; i < requests.size(); ++i)
            if (requests[i] != MPI_REQUEST_NULL)
                open.push_back(peer_of(i));
        return list_of_ranks(std::move(open));
    };
    const waiting here(*this, peers);
    if (!polls()) {
        check(MPI_Waitany(count, requests.data(), &place, MPI_STATUS_IGNORE), "MPI_Waitany");
    } else {
        const auto is_through = [&] {
            int done = 0;
            check(MPI_Testany(count, requests.data(), &place, &done, MPI_STATUS_IGNORE),
                  "MPI_Testany");
            return done != 0;
        };
        watch(is_through, watchdog_);
    }
    if (place == MPI_UNDEFINED)
        return -1;
    ++payload_.through;
    return place;
}

} // namespace tenfold::dist_impl
