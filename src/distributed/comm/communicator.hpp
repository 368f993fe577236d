// Holds a duplicate of the user's communicator, sends messages of any size on it and counts them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <mpi.h>

#include <tenfold/dist.hpp>

#include "base/function_ref.hpp"
#include "base/internals.hpp"
#include "distributed/comm/agreed_prices.hpp"
#include "distributed/comm/background.hpp"
#include "distributed/comm/buffers.hpp"
#include "distributed/comm/memory_reserve.hpp"
#include "distributed/comm/trace_recorder.hpp"
#include "distributed/presence/presence.hpp"

namespace tenfold::dist_impl {

class communicator {
public:
    /// Connects nothing.
    communicator() noexcept = default;
    /// Collective; throws as the functions that follow, which it calls one after the other.
    explicit communicator(MPI_Comm comm);
    ~communicator();
    communicator(const communicator &) = delete;
    communicator &operator=(const communicator &) = delete;

    /// Throws errc::communication without MPI, errc::invalid_argument unless `comm` can be used.
    static void expect_usable(MPI_Comm comm);
    /// Finds the memory that agreements of these ranks need. Throws std::bad_alloc.
    void allocate(MPI_Comm comm);
    /// Collective. Duplicates `comm`; a failure ends the program. Nothing else may fail on one rank
    /// only, so the ranks must know that all of them have the memory.
    void connect(MPI_Comm comm);

    MPI_Comm handle() const noexcept { return comm_; }
    int rank() const noexcept { return rank_; }
    int size() const noexcept { return size_; }
    int threads() const noexcept { return threads_; }
    void set_threads(int threads) noexcept { threads_ = threads; }

    /// Counts collective calls, so that a call that one rank skips shows as a disagreement, and
    /// keeps the operation's name, a string literal, for messages.
    std::uint64_t begin_call(const char *operation) noexcept;

    std::uint64_t calls() const noexcept { return calls_; }

    /// The thread that is in a collective call of this world; none: no thread is.
    std::atomic<std::thread::id> &caller() noexcept { return caller_; }

    /// From now on waits end with errc::communication if a rank has left for which they wait. Null:
    /// the ranks do not watch over each other.
    void attend(std::shared_ptr<presence> joined) noexcept;
    /// Says that all ranks are on one host.
    void set_on_one_host(bool all) noexcept { on_one_host_ = all; }
    bool is_on_one_host() const noexcept { return on_one_host_; }
    /// As dist_options::ranks_per_node; 0: all are on one node, or ranks are not numbered node by
    /// node.
    void set_ranks_per_node(int ranks) noexcept { ranks_per_node_ = ranks; }
    int ranks_per_node() const noexcept { return ranks_per_node_; }
    // See inside_library.
    void enter_library() noexcept;
    void leave_library() noexcept;
    /// Throws errc::communication, which names the rank, if one has left without which the present
    /// call cannot complete. Then the world can no longer be used.
    void expect_everyone() const { expect_everyone(calls_); }

    // The phase and the step of the present call are printed by the watchdog and returned by
    // state().
    void enter_phase(const char *phase) noexcept { phase_ = phase; }
    /// Notes step `number` of `count`, counted from 1; 0 of 0 after the last.
    void enter_step(index_t number, index_t count) noexcept {
        step_ = number;
        steps_ = count;
    }
    /// Returns place() and waits_and_messages() as text.
    std::string state() const;

    /// Calls work(), which allocates little and may be repeated if it throws, once data moves. If
    /// it lacks memory in spite of the reserve, ends the program (see set_fatal_handler).
    template <class Work> decltype(auto) surely(const Work &work) {
        try {
            return reserve_.apply(work);
        } catch (const std::bad_alloc &) {
            fail_for_memory();
        }
    }
    memory_reserve &reserve() noexcept { return reserve_; }

    /// Returns null unless this world is being traced.
    trace_recorder *recorder() const noexcept { return recorder_; }
    void record(trace_recorder *recorder) noexcept { recorder_ = recorder; }

    /// Sets the seconds after which a wait without progress ends the program; 0 means never.
    void set_watchdog(double seconds) noexcept { watchdog_ = seconds; }
    double watchdog() const noexcept { return watchdog_; }
    /// Reports waits that take long to the log of this context, if it takes warnings; null: of the
    /// global one.
    void report_to(const context *ctx) noexcept;
    /// Sets the seconds after which a wait is reported for the first time.
    void report_after(double seconds) noexcept { report_after_ = seconds; }
    /// settings::presence_seconds, with which the ranks watch over each other.
    double presence_seconds() const noexcept { return presence_ != nullptr ? report_after_ : 0; }
    /// Says that ranks outnumber cores here. Then a rank that waits yields its core to the others,
    /// because not every MPI does so by itself.
    void set_crowded(bool crowded) noexcept { crowded_ = crowded; }

    // Control messages: a few words each, O(log P) messages per call, not counted as payload. There
    // is memory for some kilobytes, and for 64 bytes of each rank if they are gathered.

    /// Makes room for longer control messages. Throws std::bad_alloc.
    void prepare_control(index_t size);
    void maximum(std::span<const std::uint64_t> mine, std::span<std::uint64_t> of_all);
    /// Gathers `size` bytes of every rank, in the order of the ranks.
    void all_gather(const void *mine, index_t size, void *all);
    void broadcast(void *data, index_t size, int root);
    /// Combines the values of all ranks on rank 0, by `add(into, from)`, along a binomial tree.
    /// Those of other ranks are undefined after that.
    void reduce(void *data, index_t size, base::function_ref<void(void *, const void *)> add);

    // Notes are control messages between two ranks that nobody expects: rank 0 finds those of any
    // rank. The caller owns their memory (message_memory.hpp), and takes them back after a failure.

    void start_note(const void *data, index_t size, int to, MPI_Request &request);
    void start_note_receive(void *data, index_t size, int from, MPI_Request &request);
    /// Waits until all are through.
    void wait_for_notes(std::span<MPI_Request> requests, int peer);
    /// Returns a rank whose note has arrived; -1 if there is none.
    int find_note();
    /// Waits for a note and returns the rank that sent it.
    int await_note();
    /// Receives a note that was found.
    void receive_note(void *data, index_t size, int from);

    /// Says that this rank does tasks, so that it makes no collective calls (dist_tasks.hpp).
    void do_tasks(bool does) noexcept { does_tasks_ = does; }
    bool does_tasks() const noexcept { return does_tasks_; }

    agreed_prices &planned_by() noexcept { return planned_by_; }
    kept_memory &buffers() noexcept { return buffers_; }

    /// Returns the bytes of payload received since construction; control messages do not count.
    std::uint64_t bytes_received() const noexcept { return bytes_received_; }

    /// The tag of the payload of the call at hand.
    static constexpr int data_tag = 10;
    /// Start messages of any length, in pieces of at most message_limit() bytes, and append the
    /// requests. Messages of one tag between two ranks match in the order in which they were
    /// started. Only those with data_tag count as received.
    void start_send(const void *data, index_t size, int to, std::vector<MPI_Request> &requests,
                    int tag = data_tag);
    void start_receive(void *data, index_t size, int from, std::vector<MPI_Request> &requests,
                       int tag = data_tag);
    /// Waits until a request completes, sets it to null and returns its position; returns -1 if all
    /// are null. `peer_of` returns the rank at the other end of a request, for the watchdog's
    /// message.
    int wait_any(std::vector<MPI_Request> &requests, base::function_ref<int(std::size_t)> peer_of);

    /// Takes back messages under way after a call failed, so that their memory may be freed unless
    /// has_messages_left(). All requests become null.
    void take_back(std::vector<MPI_Request> &requests) const noexcept;
    /// Returns true if MPI may still read and write memory of messages (message_memory.hpp) of a
    /// call that failed.
    bool has_messages_left() const noexcept { return has_messages_left_; }

    /// Lets MPI advance the messages; requests that completed become null. Returns whether there
    /// were any.
    bool test_some(std::vector<MPI_Request> &requests);
    /// The same, and advance_background().
    void progress(std::vector<MPI_Request> &requests);

    // Operations in the background (background.hpp). Every wait of this world advances them, and so
    // do contractions between and within their products.

    /// Finds the memory to list one more. Throws errc::invalid_argument if there are too many.
    void prepare_background();
    bool has_background() const noexcept { return !background_.empty(); }
    /// Handles messages that have come. Returns whether there were any.
    bool advance_background();
    /// Waits until this rank is through with an operation. Throws errc::communication if a rank has
    /// left without which it cannot complete, or if an earlier call failed.
    void wait_for_background(const background_work &work);
    /// Throws errc::invalid_argument if the tensor of this number is the output of one of them.
    void expect_not_written(std::string_view what, std::uint64_t number) const;
    /// MPI has ended with messages under way: their memory is never freed.
    void abandon_messages() noexcept { has_messages_left_ = true; }

    static bool are_through(const std::vector<MPI_Request> &requests) noexcept {
        return std::all_of(requests.begin(), requests.end(),
                           [](MPI_Request one) { return one == MPI_REQUEST_NULL; });
    }

    /// Ends the program (see set_fatal_handler) unless `result` is MPI_SUCCESS.
    void check(int result, const char *operation) const;
    [[noreturn]] void fail(std::string_view message) const;

private:
    friend class background_work;

    /// Polls if a wait may end because a rank has left, if there is a watchdog or somebody to whom
    /// long waits are reported, if other ranks share this core, if operations in the background go
    /// on meanwhile, or if a trace has to tell waiting from receiving; otherwise MPI waits.
    bool polls() const noexcept {
        return presence_ != nullptr || watchdog_ > 0 || reported_to_ != nullptr || crowded_ ||
               recorder_ != nullptr || has_background();
    }
    /// The same as expect_everyone() for the collective call `number`.
    void expect_everyone(std::uint64_t number) const {
        if (presence_ != nullptr && presence_->misses_somebody(number))
            throw_departed(number);
    }
    void begin_background(background_work &work) noexcept;
    void end_background(const background_work &work) noexcept;
    /// A function that names the ranks this rank waits for: "rank 1" or "ranks 1, 2 and 5".
    struct peers_text {
        const void *function = nullptr;
        std::string (*call)(const void *function) = nullptr;
    };
    /// While this object lives, messages say that this rank waits for those that `peers()` returns.
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
    /// Polls until `is_through` returns true. If that takes more than `seconds`, ends the program;
    /// 0 means no limit. `call`: the number of the collective call that needs the other ranks; 0:
    /// the present one.
    void watch(base::function_ref<bool()> is_through, double seconds, std::uint64_t call = 0);
    /// Returns what a rank says that has waited for `seconds`.
    std::string without_progress(double seconds) const;
    /// `is_answered`: it is known where all ranks stand.
    void report(double seconds, bool is_answered) const noexcept;
    [[noreturn]] void throw_departed(std::uint64_t call) const;
    class long_wait;
    [[noreturn]] void fail_for_memory() const;
    /// Returns the present call as text: "contract (plan), collective call 7, step 2 of 4".
    std::string place() const;
    std::string waits_and_messages() const;
    /// Makes room for the requests of `size` bytes more.
    void reserve_requests(index_t size, std::vector<MPI_Request> &requests);
    struct control_message {
        std::byte *data;
        index_t size;
        int peer; ///< a rank or MPI_PROC_NULL
    };
    /// Sends one message while it receives the other.
    void transfer(const control_message &sent, const control_message &received);
    /// Returns at least `size` bytes that live as long as MPI may access them. If the watchdog ends
    /// a call, that is longer than the call.
    std::byte *control_buffer(index_t size);

    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
    int threads_ = 1;
    mutable bool failed_ = false;
    mutable bool has_messages_left_ = false;
    double watchdog_ = 0;
    const context *reported_to_ = nullptr; ///< null: nobody wants warnings
    double report_after_ = 30;
    bool crowded_ = false;
    bool on_one_host_ = false;
    int ranks_per_node_ = 0;
    std::shared_ptr<presence> presence_;
    std::atomic<int> calls_under_way_{0}; ///< nested ones; threads that are refused may overlap
    std::unique_ptr<std::byte[]> control_buffer_;
    index_t control_buffer_size_ = 0;
    std::vector<int> places_; ///< scratch memory of progress()
    mutable memory_reserve reserve_{0};
    const char *operation_ = "nothing";
    std::uint64_t calls_ = 0;
    std::atomic<std::thread::id> caller_{};
    bool does_tasks_ = false;
    bool call_begins_ = false; ///< no message of this call was sent yet
    const char *phase_ = "";
    index_t step_ = 0;
    index_t steps_ = 0;
    peers_text waiting_for_;
    struct message_counts {
        std::uint64_t sends = 0, receives = 0; ///< begun
        std::uint64_t through = 0;             ///< completed, of both
        std::string text() const;
    };
    message_counts payload_;
    message_counts control_;
    agreed_prices planned_by_;
    kept_memory buffers_;
    std::uint64_t bytes_received_ = 0;
    trace_recorder *recorder_ = nullptr;
    std::vector<background_work *> background_;
    bool advances_background_ = false;
    std::uint64_t background_begun_ = 0; ///< operations so far; the same on all ranks
    std::uint64_t background_steps_ = 0; ///< changes when messages were handled
};

/// Lets long waits be reported to the log of a call's context, null for the global one, while the
/// call lasts.
class reported_waits {
public:
    reported_waits(communicator &comm, const context *ctx) noexcept : comm_(comm) {
        comm_.report_to(ctx);
    }
    ~reported_waits() { comm_.report_to(nullptr); }
    reported_waits(const reported_waits &) = delete;
    reported_waits &operator=(const reported_waits &) = delete;

private:
    communicator &comm_;
};

/// While this object lives, ranks that ask are told that this one is in the library. A function
/// that makes more than one collective call or moves data needs one, or a traced_call.
class inside_library {
public:
    explicit inside_library(communicator &comm) noexcept : comm_(comm) { comm_.enter_library(); }
    ~inside_library() { comm_.leave_library(); }
    inside_library(const inside_library &) = delete;
    inside_library &operator=(const inside_library &) = delete;

private:
    communicator &comm_;
};

/// Records one collective call of the user's in a trace, from beginning to end. Calls that this
/// call makes itself are recorded as parts of it.
class traced_call {
public:
    /// `argument` follows the operation's name in the trace.
    traced_call(communicator &comm, std::string_view operation,
                std::string_view argument = {}) noexcept
        : inside_(comm), recorder_(comm.recorder()) {
        if (recorder_ == nullptr)
            return;
        begin_ = trace_recorder::now();
        recorder_->begin_call(operation, argument, comm.calls() + 1);
    }
    ~traced_call() {
        if (recorder_ != nullptr)
            recorder_->end_call(begin_);
    }
    traced_call(const traced_call &) = delete;
    traced_call &operator=(const traced_call &) = delete;

private:
    inside_library inside_;
    trace_recorder *recorder_;
    trace_recorder::nanoseconds begin_ = 0;
};

index_t message_limit() noexcept;

/// Throws errc::invalid_argument if the world, or the tensor that it belongs to, was moved from,
/// and errc::communication if MPI was finalised.
communicator &communicator_of(const world &where);

/// Returns the cores that the ranks of this node may use, divided by the number of these ranks, and
/// calls `comm.set_crowded()`, `set_on_one_host()` and `set_ranks_per_node()`. Warns of too many
/// ranks as `chosen` says. Collective.
int threads_per_rank(communicator &comm, const settings &chosen);

} // namespace tenfold::dist_impl

struct tenfold::world::state : dist_impl::communicator {};
