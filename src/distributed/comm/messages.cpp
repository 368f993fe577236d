// Sends, receives and waits for payload.
#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include <sched.h>
#include <unistd.h>

#include <tenfold/error.hpp>

#include "base/checked.hpp"
#include "base/work.hpp"
#include "distributed/comm/communicator.hpp"

namespace tenfold::dist_impl {
namespace {

/// If ranks share cores, a rank that has waited this long sleeps between polls. To the operating
/// system, a rank that polls is as busy as one that computes, so it might put two computing ranks
/// on one core and two waiting ranks on another. The sleep delays a message by at most a tenth of
/// the time waited.
constexpr std::chrono::milliseconds patience{2};
constexpr useconds_t nap = 200;

/// Most messages are there at once. If ranks have cores of their own, nobody wants this one before
/// that many polls, and no clock is read.
constexpr int quick_polls = 500;

/// What a rank that waits for so long tells others who ask.
constexpr double is_waiting = 1;
/// The ranks' answer to where they stand comes within milliseconds, unless some rank is stopped.
constexpr double patience_with_answers = 6;
/// Messages that can complete after a call has failed do so at once: ranks that have failed, too,
/// let them.
constexpr std::chrono::seconds patience_with_messages{1};

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

/// What happens while a wait takes long: others learn that this rank waits, and where all of them
/// stand is asked and reported, again after twice the time.
class communicator::long_wait {
public:
    explicit long_wait(const communicator &comm) noexcept
        : comm_(comm), next_report_(comm.report_after_) {}
    ~long_wait() {
        if (is_told_)
            comm_.presence_->stand_at(stand::working);
    }
    long_wait(const long_wait &) = delete;
    long_wait &operator=(const long_wait &) = delete;

    /// `waited`: seconds so far.
    void go_on(double waited) noexcept {
        presence *const others = comm_.presence_.get();
        if (others != nullptr && !is_told_ && waited > is_waiting) {
            others->stand_at(stand::waiting);
            is_told_ = true;
        }
        if (comm_.reported_to_ == nullptr || waited < next_report_)
            return;
        if (others != nullptr) {
            if (question_ == 0)
                question_ = others->ask();
            if (!others->has_answer(question_) && waited < next_report_ + patience_with_answers)
                return;
        }
        comm_.report(waited, question_ != 0 && others->has_answer(question_));
        next_report_ *= 2;
        question_ = 0;
    }

private:
    const communicator &comm_;
    double next_report_;
    std::uint64_t question_ = 0; ///< 0: none is open
    bool is_told_ = false;
};

// Only one thread calls MPI, whatever thread level MPI offers. Therefore the watchdog polls instead
// of running in a thread of its own. Yielding matters with MPICH, which spins while it waits: with
// three ranks on two cores some tests took 25 s instead of less than one.

void communicator::watch(base::function_ref<bool()> is_through, double seconds,
                         std::uint64_t call) {
    using clock = std::chrono::steady_clock;
    advance_background();
    timed_wait traced(recorder_, "wait");
    for (int polls = crowded_ ? quick_polls : 0; polls < quick_polls; ++polls)
        if (traced.poll(is_through))
            return;
    const auto start = clock::now();
    bool time_is_over = false;
    long_wait wait(*this);
    while (!traced.poll(is_through)) {
        const auto passed = clock::now() - start;
        const std::chrono::duration<double> waited = passed;
        expect_everyone(call == 0 ? calls_ : call);
        if (time_is_over)
            fail(without_progress(waited.count()));
        wait.go_on(waited.count());
        advance_background();
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
                              std::vector<MPI_Request> &requests, int tag) {
    const timed traced(recorder_, activity::communication, "send");
    const char *rest = static_cast<const char *>(data);
    reserve_requests(size, requests);
    while (size > 0) {
        const index_t piece = std::min(size, message_limit());
        requests.push_back(MPI_REQUEST_NULL);
        ++payload_.sends;
        check(MPI_Isend(rest, static_cast<int>(piece), MPI_BYTE, to, tag, comm_, &requests.back()),
              "MPI_Isend");
        rest += piece;
        size -= piece;
    }
}

void communicator::start_receive(void *data, index_t size, int from,
                                 std::vector<MPI_Request> &requests, int tag) {
    const timed traced(recorder_, activity::communication, "receive");
    char *rest = static_cast<char *>(data);
    if (tag == data_tag)
        bytes_received_ += static_cast<std::uint64_t>(size);
    reserve_requests(size, requests);
    while (size > 0) {
        const index_t piece = std::min(size, message_limit());
        requests.push_back(MPI_REQUEST_NULL);
        ++payload_.receives;
        check(
            MPI_Irecv(rest, static_cast<int>(piece), MPI_BYTE, from, tag, comm_, &requests.back()),
            "MPI_Irecv");
        rest += piece;
        size -= piece;
    }
}

bool communicator::test_some(std::vector<MPI_Request> &requests) {
    int through = 0;
    if (places_.size() < requests.size())
        surely([&] { places_.resize(requests.size()); });
    check(MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &through, places_.data(),
                       MPI_STATUSES_IGNORE),
          "MPI_Testsome");
    payload_.through += static_cast<std::uint64_t>(std::max(0, through)); // or MPI_UNDEFINED
    return through > 0;
}

void communicator::progress(std::vector<MPI_Request> &requests) {
    if (!requests.empty()) {
        const timed traced(recorder_, activity::communication, "progress");
        test_some(requests);
    }
    advance_background();
}

bool communicator::advance_background() {
    if (background_.empty() || advances_background_ || failed_)
        return false;
    // What the call at hand records does not nest, and its caller may stop it.
    struct aside {
        communicator &comm;
        trace_recorder *recorder;
        ~aside() {
            comm.recorder_ = recorder;
            comm.advances_background_ = false;
        }
    };
    const aside here{*this, std::exchange(recorder_, nullptr)};
    advances_background_ = true;
    const base::work_part::joined nothing(nullptr);
    bool any = false;
    for (background_work *one : background_)
        any = one->advance() || any;
    background_steps_ += any ? 1 : 0;
    return any;
}

void communicator::wait_for_background(const background_work &work) {
    if (failed_)
        throw error(errc::communication,
                    std::string(work.operation()) +
                        " cannot complete, because a call on its world has failed");
    const auto peers = [&] { return list_of_ranks(work.peers()); };
    const waiting here(*this, peers);
    const char *const phase = std::exchange(phase_, work.operation());
    while (!work.is_through()) {
        const std::uint64_t before = background_steps_;
        const auto has_moved = [&] {
            advance_background();
            return background_steps_ != before || work.is_through();
        };
        watch(has_moved, watchdog_, work.call());
    }
    phase_ = phase;
}

/// Receives that no message has matched are cancelled. What is left after that completes here, as
/// soon as its peer lets MPI send the rest. If that rank computes for long, or has ended in the
/// middle, the messages stay, and so does their memory.
void communicator::take_back(std::vector<MPI_Request> &requests) const noexcept {
    for (MPI_Request &one : requests)
        if (one != MPI_REQUEST_NULL)
            MPI_Cancel(&one);
    const auto deadline = std::chrono::steady_clock::now() + patience_with_messages;
    while (!are_through(requests) && std::chrono::steady_clock::now() < deadline) {
        int all = 0;
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &all, MPI_STATUSES_IGNORE);
        if (all == 0)
            usleep(nap);
    }
    has_messages_left_ = has_messages_left_ || !are_through(requests);
    for (MPI_Request &one : requests)
        if (one != MPI_REQUEST_NULL)
            MPI_Request_free(&one);
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
        try {
            watch(is_through, watchdog_);
        } catch (...) {
            take_back(requests);
            throw;
        }
    }
    if (place == MPI_UNDEFINED)
        return -1;
    ++payload_.through;
    return place;
}

} // namespace tenfold::dist_impl
