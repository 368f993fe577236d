// A duplicate of the user's communicator, point-to-point messages of any size on it, and counters.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include <tenfold/dist.hpp>

#include "distributed/comm/trace_recorder.hpp"
#include "distributed/run/kept_memory.hpp"
#include "distributed/run/plan_cache.hpp"

namespace tenfold::dist_impl {

class communicator {
public:
    /// Collective; throws errc::communication.
    explicit communicator(MPI_Comm comm);
    ~communicator();
    communicator(const communicator &) = delete;
    communicator &operator=(const communicator &) = delete;

    MPI_Comm handle() const noexcept { return comm_; }
    int rank() const noexcept { return rank_; }
    int size() const noexcept { return size_; }
    int threads() const noexcept { return threads_; }
    void set_threads(int threads) noexcept { threads_ = threads; }

    /// Counts collective calls, so that a skipped one shows as a disagreement, and remembers which
    /// one runs, for messages.
    std::uint64_t begin_call(const std::string &operation);

    std::uint64_t calls() const noexcept { return calls_; }

    // Where the call is, for messages of the watchdog and of whoever asks.
    void enter_phase(const char *phase) noexcept { phase_ = phase; }
    /// Step `number` of `count`, counted from 1; 0 of 0 after the last.
    void enter_step(index_t number, index_t count) noexcept {
        step_ = number;
        steps_ = count;
    }
    /// place() and waits_and_messages().
    std::string state() const;

    /// Null unless this world is being traced.
    trace_recorder *recorder() const noexcept { return recorder_; }
    void record(trace_recorder *recorder) noexcept { recorder_ = recorder; }

    /// Seconds after which a wait without progress ends the program; 0: never.
    void set_watchdog(double seconds) noexcept { watchdog_ = seconds; }
    /// Ranks outnumber cores here: whoever waits leaves its core to others. Not every MPI does so.
    void set_crowded(bool crowded) noexcept { crowded_ = crowded; }

    // Control: a few words. Not counted as payload. O(log P) messages.
    void maximum(std::span<const std::uint64_t> mine, std::span<std::uint64_t> of_all);
    /// `size` bytes of every rank, in their order.
    void all_gather(const void *mine, index_t size, void *all);
    void broadcast(void *data, index_t size, int root);

    plan_cache<dist_plan> &plans() noexcept { return plans_; }
    plan_cache<dist_sequence> &sequences() noexcept { return sequences_; }
    kept_memory &buffers() noexcept { return buffers_; }

    /// Payload that was received since construction; control messages are not payload.
    std::uint64_t bytes_received() const noexcept { return bytes_received_; }

    /// Starts messages of any length, in pieces of at most message_limit(); requests are appended.
    /// Between two ranks messages match in the order in which they were started.
    void start_send(const void *data, index_t size, int to, std::vector<MPI_Request> &requests);
    void start_receive(void *data, index_t size, int from, std::vector<MPI_Request> &requests);
    /// The place of a request that is through, which becomes null; -1 if all are null. `peer_of`
    /// tells whom a request is with, for the watchdog's message.
    int wait_any(std::vector<MPI_Request> &requests,
                 const std::function<int(std::size_t)> &peer_of);

    /// Lets messages go on; requests that are through become null.
    void progress(std::vector<MPI_Request> &requests);

    static bool are_through(const std::vector<MPI_Request> &requests) noexcept {
        return std::all_of(requests.begin(), requests.end(),
                           [](MPI_Request one) { return one == MPI_REQUEST_NULL; });
    }

    /// Ends the program (see set_fatal_handler) unless `result` is MPI_SUCCESS.
    void check(int result, const char *operation) const;
    [[noreturn]] void fail(const std::string &message) const;

private:
    /// Waiting is left to MPI unless there is a reason to poll: a watchdog's, other ranks on this
    /// core, or a trace that tells waiting from receiving.
    bool polls() const noexcept { return watchdog_ > 0 || crowded_ || recorder_ != nullptr; }
    /// A function that tells whom this rank waits for: "rank 1" or "ranks 1, 2 and 5".
    struct peers_text {
        const void *function = nullptr;
        std::string (*call)(const void *function) = nullptr;
    };
    /// This rank waits, as long as this lives, for those that `peers()` tells.
    class waiting {
    public:
        template <class Peers> waiting(communicator &comm, const Peers &peers) noexcept
            : comm_(comm) {
            comm_.waiting_for_ = {&peers, [](const void *function) {
                                      return (*static_cast<const Peers *>(function))();
                                  }};
        }
        ~waiting() { comm_.waiting_for_ = {}; }
        waiting(const waiting &) = delete;
        waiting &operator=(const waiting &) = delete;

    private:
        communicator &comm_;
    };
    /// Polls until `is_through` says so or the time is over, which ends the program; 0: never.
    void watch(const std::function<bool()> &is_through, double seconds) const;
    /// "contract (plan), collective call 7, step 2 of 4".
    std::string place() const;
    std::string waits_and_messages() const;
    struct control_message {
        std::byte *data;
        index_t size;
        int peer; ///< or MPI_PROC_NULL
    };
    /// Sends one while it receives the other.
    void transfer(const control_message &sent, const control_message &received);
    /// At least `size` bytes that live as long as MPI may touch them, which is longer than a call
    /// that the watchdog ended.
    std::byte *control_buffer(index_t size);

    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
    int threads_ = 1;
    mutable bool failed_ = false;
    double watchdog_ = 0;
    bool crowded_ = false;
    std::vector<std::byte> control_buffer_;
    std::vector<int> places_; ///< scratch of progress()
    std::string operation_ = "nothing";
    std::uint64_t calls_ = 0;
    bool call_begins_ = false; ///< no message of this call was sent yet
    const char *phase_ = "";
    index_t step_ = 0;
    index_t steps_ = 0;
    peers_text waiting_for_;
    struct message_counts {
        std::uint64_t sends = 0, receives = 0; ///< that were begun
        std::uint64_t through = 0;             ///< of both
        std::string text() const;
    };
    message_counts payload_;
    message_counts control_;
    plan_cache<dist_plan> plans_;
    plan_cache<dist_sequence> sequences_;
    kept_memory buffers_;
    std::uint64_t bytes_received_ = 0;
    trace_recorder *recorder_ = nullptr;
};

/// A collective call of the user's in a trace, from beginning to end; calls that it makes itself
/// are parts of it.
class traced_call {
public:
    traced_call(const communicator &comm, std::string_view operation) : recorder_(comm.recorder()) {
        if (recorder_ == nullptr)
            return;
        begin_ = trace_recorder::now();
        recorder_->begin_call(std::string(operation), comm.calls() + 1);
    }
    ~traced_call() {
        if (recorder_ != nullptr)
            recorder_->end_call(begin_);
    }
    traced_call(const traced_call &) = delete;
    traced_call &operator=(const traced_call &) = delete;

private:
    trace_recorder *recorder_;
    trace_recorder::nanoseconds begin_ = 0;
};

index_t message_limit() noexcept;

/// Cores that the ranks of this node may use, divided by those ranks; `comm` hears whether they are
/// too few. Collective.
int threads_per_rank(communicator &comm);

} // namespace tenfold::dist_impl
