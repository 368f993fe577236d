#include "distributed/comm/communicator.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <new>
#include <optional>
#include <utility>

#include <tenfold/context.hpp>
#include <tenfold/dist_process.hpp>
#include <tenfold/error.hpp>

#include "base/context_of.hpp"
#include "base/log.hpp"
#include "base/machine.hpp"
#include "distributed/comm/agreement.hpp"
#include "distributed/comm/attendance.hpp"
#include "distributed/comm/parting.hpp"

namespace tenfold {
namespace dist_impl {
namespace {

index_t current_message_limit = (index_t{1} << 30) - (index_t{1} << 12);

fatal_handler &current_fatal_handler() {
    static fatal_handler handler;
    return handler;
}

std::string mpi_message(int result) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(result, text, &length);
    return {text, static_cast<std::size_t>(length)};
}

void abort_program(MPI_Comm comm, int rank, std::string_view message) {
    std::fprintf(stderr, "tenfold: rank %d: %.*s\n", rank, static_cast<int>(message.size()),
                 message.data());
    std::fflush(stderr);
    MPI_Abort(comm, 1);
}

[[noreturn]] void end_program(MPI_Comm comm, int rank, std::string_view message) {
    if (const fatal_handler &handler = current_fatal_handler())
        handler(rank, message);
    else
        abort_program(comm, rank, message);
    throw error(errc::communication, std::string(message));
}

/// Ends the program unless `result` is MPI_SUCCESS: the other ranks may have succeeded, and there
/// is no world yet to tell them by.
void check_first_call(int result, const char *operation, MPI_Comm comm) {
    if (result == MPI_SUCCESS)
        return;
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    end_program(comm, rank, std::string(operation) + ": " + mpi_message(result));
}

/// Collective over `comm`. Throws on all ranks if one of them passes false.
void expect_memory_on_all(MPI_Comm comm, bool mine) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const int lacks = mine ? INT_MAX : rank;
    int first = INT_MAX;
    check_first_call(MPI_Allreduce(&lacks, &first, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce",
                     comm);
    if (first != INT_MAX)
        throw error(errc::out_of_memory,
                    "rank " + std::to_string(first) + ": world: " + lack_of_memory().what());
}

} // namespace

index_t message_limit() noexcept { return current_message_limit; }

void communicator::expect_usable(MPI_Comm comm) {
    static_cast<void>(place_in_mpi()); // throws without MPI
    if (comm == MPI_COMM_NULL)
        throw error(errc::invalid_argument, "a world of MPI_COMM_NULL");
    int has_two_groups = 0;
    MPI_Comm_test_inter(comm, &has_two_groups);
    if (has_two_groups != 0)
        throw error(
            errc::invalid_argument,
            "a world of an intercommunicator; merge its groups first (MPI_Intercomm_merge)");
}

void communicator::allocate(MPI_Comm comm) {
    MPI_Comm_size(comm, &size_);
    prepare_control(4096 + index_t{64} * size_);
    // Boxes and requests of one step: some for each rank with which data is exchanged.
    reserve_ = memory_reserve(std::size_t{64} * 1024 + 512 * static_cast<std::size_t>(size_));
    reserve_.renew();
    static_cast<void>(lack_of_memory());
}

void communicator::connect(MPI_Comm comm) {
    check_first_call(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup", comm);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm_, &rank_);
}

communicator::communicator(MPI_Comm comm) {
    expect_usable(comm);
    allocate(comm);
    connect(comm);
}

communicator::~communicator() {
    if (presence_ != nullptr)
        presence_->leave(departure_kind::freed);
    if (failed_) { // operations may still be under way, so their buffers are never freed
        static_cast<void>(control_buffer_.release());
        keep_failed(comm_);
        return;
    }
    int finalised = 0;
    MPI_Finalized(&finalised);
    if (finalised || comm_ == MPI_COMM_NULL)
        return;
    if (presence_ == nullptr)
        MPI_Comm_free(&comm_);
    else if (!presence_->is_abandoned()) // a child of fork() is no rank
        free_when_all_have_left(comm_);
}

std::uint64_t communicator::begin_call(const char *operation) noexcept {
    operation_ = operation;
    phase_ = "";
    step_ = steps_ = 0;
    call_begins_ = true;
    ++calls_;
    if (presence_ != nullptr)
        presence_->begin_call(operation, calls_);
    if (recorder_ != nullptr)
        recorder_->enter(operation, calls_);
    return calls_;
}

void communicator::attend(std::shared_ptr<presence> joined) noexcept {
    presence_ = std::move(joined);
    if (presence_ == nullptr)
        return;
    presence_->begin_call(operation_, calls_);
    presence_->stand_at(calls_under_way_ > 0 ? stand::working : stand::outside);
}

void communicator::enter_library() noexcept {
    if (calls_under_way_.fetch_add(1, std::memory_order_relaxed) == 0 && presence_ != nullptr)
        presence_->stand_at(stand::working);
}

void communicator::leave_library() noexcept {
    if (calls_under_way_.fetch_sub(1, std::memory_order_relaxed) == 1 && presence_ != nullptr)
        presence_->stand_at(stand::outside);
}

std::string communicator::place() const {
    std::string text = std::string(operation_) + ", collective call " + std::to_string(calls_);
    if (*phase_ != '\0')
        text.append(", ").append(phase_);
    if (steps_ > 0)
        text += ", step " + std::to_string(step_) + " of " + std::to_string(steps_);
    return text;
}

std::string communicator::message_counts::text() const {
    return std::to_string(sends) + " sends and " + std::to_string(receives) +
           " receives were begun, " + std::to_string(sends + receives - through) + " are pending";
}

std::string communicator::waits_and_messages() const {
    const std::string peers = waiting_for_.call == nullptr
                                  ? "for nobody"
                                  : "for " + waiting_for_.call(waiting_for_.function);
    return "waiting " + peers + "; of data " + payload_.text() + "; of control " + control_.text();
}

void communicator::report_to(const context *ctx) noexcept {
    const context &found = base::context_or_global(ctx);
    reported_to_ = base::is_logged(found.settings(), base::log_level::warn) ? &found : nullptr;
}

std::string communicator::without_progress(double seconds) const {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", seconds);
    return place() + ": no progress for " + text + " seconds, " + waits_and_messages();
}

void communicator::report(double seconds, bool is_answered) const noexcept {
    try {
        std::string text = "rank " + std::to_string(rank_) + ": " + without_progress(seconds);
        if (is_answered)
            text += "; " + presence_->last_answer();
        base::log(reported_to_->settings(), base::log_level::warn, text);
    } catch (const std::bad_alloc &) { // no message
    }
}

std::string communicator::state() const { return place() + ": " + waits_and_messages(); }

void communicator::check(int result, const char *operation) const {
    if (result != MPI_SUCCESS)
        fail(std::string(operation) + ": " + mpi_message(result));
}

void communicator::throw_departed(std::uint64_t call) const {
    failed_ = true;
    presence_->break_call();
    const departure gone = presence_->who_is_missing(call);
    throw reserve_.apply([&] {
        return error(errc::communication, place() + ": rank " + std::to_string(gone.rank) +
                                              " has left, and this call needs it: " + gone.text());
    });
}

void communicator::fail(std::string_view message) const {
    failed_ = true;
    has_messages_left_ = true; // those that nobody takes back
    if (presence_ != nullptr)
        presence_->break_call();
    end_program(comm_, rank_, message);
}

void communicator::fail_for_memory() const {
    char text[160]; // there is no memory for place()
    std::snprintf(text, sizeof text, "%s, collective call %llu: out of memory", operation_,
                  static_cast<unsigned long long>(calls_));
    fail(text);
}

communicator &communicator_of(const world &where) {
    if (where.size() == 0)
        throw error(errc::invalid_argument,
                    "the world or the tensor was moved from; it may only be assigned to");
    int finalised = 0;
    MPI_Finalized(&finalised);
    if (finalised)
        throw error(errc::communication, "MPI was finalised; the world needs it");
    return internals::of(where);
}

namespace {

/// Ranks of this rank's node.
struct node_ranks {
    int first, count;
};

/// Collective.
int ranks_per_node(communicator &comm, const node_ranks &mine) {
    const auto most = [&](int of_this_rank) {
        const std::array<std::uint64_t, 1> given{static_cast<std::uint64_t>(of_this_rank)};
        std::array<std::uint64_t, 1> found{};
        comm.maximum(given, found);
        return static_cast<int>(found[0]);
    };
    const int largest = most(mine.count);
    // If every node begins at a multiple, node by node is the only way to number all ranks.
    const bool fits =
        mine.first % largest == 0 && mine.count == std::min(largest, comm.size() - mine.first);
    return most(fits ? 0 : 1) == 0 && largest < comm.size() ? largest : 0;
}

} // namespace

int threads_per_rank(communicator &comm, const settings &chosen) {
    MPI_Comm node = MPI_COMM_NULL;
    comm.check(
        MPI_Comm_split_type(comm.handle(), MPI_COMM_TYPE_SHARED, comm.rank(), MPI_INFO_NULL, &node),
        "MPI_Comm_split_type");
    int ranks = 1;
    int rank = 0;
    MPI_Comm_size(node, &ranks);
    MPI_Comm_rank(node, &rank);

    // Launchers bind each rank to a core, to a socket, or not at all. In every case the union of
    // the masks holds the cores that the ranks have together.
    cpu_set_t mine = base::usable_processors();
    if (CPU_COUNT(&mine) == 0)
        CPU_SET(0, &mine);
    cpu_set_t all;
    comm.check(MPI_Allreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, node), "MPI_Allreduce");

    // machine::cores is smaller than the mask where a cgroup's quota limits it.
    const int cores = base::machine_of(context::global()).cores;
    const int quota = cores < CPU_COUNT(&mine) ? cores : INT_MAX;
    int least_quota = INT_MAX;
    comm.check(MPI_Allreduce(&quota, &least_quota, 1, MPI_INT, MPI_MIN, node), "MPI_Allreduce");
    const int this_rank = comm.rank();
    int first = this_rank;
    comm.check(MPI_Allreduce(&this_rank, &first, 1, MPI_INT, MPI_MIN, node), "MPI_Allreduce");
    comm.check(MPI_Comm_free(&node), "MPI_Comm_free");

    const int usable = std::min(CPU_COUNT(&all), least_quota);
    comm.set_crowded(ranks > usable);
    comm.set_on_one_host(ranks == comm.size());
    comm.set_ranks_per_node(ranks_per_node(comm, {first, ranks}));
    if (rank == 0 && ranks > usable) {
        char text[64];
        std::snprintf(text, sizeof text, "%d ranks share %d cores", ranks, usable);
        base::log(chosen, base::log_level::warn, text);
    }
    return std::max(1, usable / ranks);
}

} // namespace dist_impl

fatal_handler set_fatal_handler(fatal_handler handler) {
    return std::exchange(dist_impl::current_fatal_handler(), std::move(handler));
}

byte_count set_message_limit(byte_count limit) {
    if (limit.value < 16 || limit.value > INT32_MAX)
        throw error(errc::invalid_argument, "a message limit of " + std::to_string(limit.value) +
                                                " bytes; it is from 16 to 2^31 - 1");
    return bytes(std::exchange(dist_impl::current_message_limit, limit.value));
}

world::world(MPI_Comm comm) : world(comm, context::global()) {}

world::world(MPI_Comm comm, const context &ctx) {
    dist_impl::communicator::expect_usable(comm);
    try {
        auto made = std::make_shared<state>();
        made->allocate(comm);
        state_ = std::move(made);
    } catch (const std::bad_alloc &) { // all ranks are told first
    }
    dist_impl::expect_memory_on_all(comm, state_ != nullptr);
    state_->connect(comm);
    const settings &chosen = ctx.settings();
    std::optional<dist_impl::attendance> beginning;
    dist_impl::collectively(*state_, "world", [&] {
        state_->set_threads(chosen.threads);
        state_->set_watchdog(chosen.watchdog_seconds);
        state_->report_to(&ctx);
        beginning.emplace(*state_, chosen);
    });
    const int share = dist_impl::threads_per_rank(*state_, chosen);
    if (state_->threads() == 0)
        state_->set_threads(share);
    beginning->begin();
    state_->report_to(nullptr);
}

int world::rank() const noexcept { return state_ ? state_->rank() : -1; }
int world::size() const noexcept { return state_ ? state_->size() : 0; }
int world::threads() const noexcept { return state_ ? state_->threads() : 1; }
int world::ranks_per_node() const noexcept { return state_ ? state_->ranks_per_node() : 0; }
MPI_Comm world::comm() const noexcept { return state_ ? state_->handle() : MPI_COMM_NULL; }

} // namespace tenfold
