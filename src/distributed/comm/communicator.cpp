#include "distributed/comm/communicator.hpp"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <utility>

#include <sched.h>

#include <tenfold/context.hpp>
#include <tenfold/error.hpp>

#include "base/context_of.hpp"
#include "base/log.hpp"
#include "base/machine.hpp"
#include "distributed/comm/agreement.hpp"

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

void abort_program(MPI_Comm comm, int rank, const std::string &message) {
    std::fprintf(stderr, "tenfold: rank %d: %s\n", rank, message.c_str());
    std::fflush(stderr);
    MPI_Abort(comm, 1);
}

} // namespace

index_t message_limit() noexcept { return current_message_limit; }

communicator::communicator(MPI_Comm comm) {
    int initialised = 0;
    int finalised = 0;
    MPI_Initialized(&initialised);
    MPI_Finalized(&finalised);
    if (!initialised || finalised)
        throw error(errc::communication, finalised ? "MPI was finalised; a world needs it"
                                                   : "MPI is not initialised; call MPI_Init first");
    if (comm == MPI_COMM_NULL)
        throw error(errc::invalid_argument, "a world of MPI_COMM_NULL");
    const int result = MPI_Comm_dup(comm, &comm_);
    if (result != MPI_SUCCESS)
        throw error(errc::communication, "MPI_Comm_dup: " + mpi_message(result));
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
}

communicator::~communicator() {
    if (failed_) { // operations may still be under way, so their buffers and the communicator are
                   // never freed
        static_cast<void>(new std::vector<std::byte>(std::move(control_buffer_)));
        return;
    }
    int finalised = 0;
    MPI_Finalized(&finalised);
    if (!finalised)
        MPI_Comm_free(&comm_);
}

std::uint64_t communicator::begin_call(const std::string &operation) {
    operation_ = operation;
    phase_ = "";
    step_ = steps_ = 0;
    call_begins_ = true;
    ++calls_;
    if (recorder_ != nullptr)
        recorder_->enter(operation, calls_);
    return calls_;
}

std::string communicator::place() const {
    std::string text = operation_ + ", collective call " + std::to_string(calls_);
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

std::string communicator::state() const { return place() + ": " + waits_and_messages(); }

void communicator::check(int result, const char *operation) const {
    if (result != MPI_SUCCESS)
        fail(std::string(operation) + ": " + mpi_message(result));
}

void communicator::fail(const std::string &message) const {
    failed_ = true;
    if (const fatal_handler &handler = current_fatal_handler())
        handler(rank_, message);
    else
        abort_program(comm_, rank_, message);
    throw error(errc::communication, message);
}

int threads_per_rank(communicator &comm) {
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
    cpu_set_t mine;
    CPU_ZERO(&mine);
    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
        CPU_SET(0, &mine);
    cpu_set_t all;
    comm.check(MPI_Allreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, node), "MPI_Allreduce");

    // machine::cores is smaller than the mask where a cgroup's quota limits it.
    const int cores = base::machine_of(context::global()).cores;
    const int quota = cores < CPU_COUNT(&mine) ? cores : INT_MAX;
    int least_quota = INT_MAX;
    comm.check(MPI_Allreduce(&quota, &least_quota, 1, MPI_INT, MPI_MIN, node), "MPI_Allreduce");
    comm.check(MPI_Comm_free(&node), "MPI_Comm_free");

    const int usable = std::min(CPU_COUNT(&all), least_quota);
    comm.set_crowded(ranks > usable);
    if (rank == 0 && ranks > usable)
        base::log(context::global().settings(), base::log_level::warn,
                  std::to_string(ranks) + " ranks share " + std::to_string(usable) + " cores");
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

world::world(MPI_Comm comm) : state_(std::make_shared<state>(comm)) {
    dist_impl::collectively(*state_, dist_impl::call_description("world"), [&] {
        state_->set_threads(context::global().settings().threads);
        state_->set_watchdog(context::global().settings().watchdog_seconds);
    });
    const int share = dist_impl::threads_per_rank(*state_);
    if (state_->threads() == 0)
        state_->set_threads(share);
}

int world::rank() const noexcept { return state_->rank(); }
int world::size() const noexcept { return state_->size(); }
int world::threads() const noexcept { return state_->threads(); }
MPI_Comm world::comm() const noexcept { return state_->handle(); }

} // namespace tenfold
