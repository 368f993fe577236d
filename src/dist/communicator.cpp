#include "dist/communicator.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <tenfold/error.hpp>

#include "dist/agreement.hpp"

namespace tenfold {
namespace dist_impl {
namespace {

constexpr int tag = 10;

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
    int finalised = 0;
    MPI_Finalized(&finalised);
    if (!finalised)
        MPI_Comm_free(&comm_);
}

void communicator::start_send(const void *data, index_t size, int to,
                              std::vector<MPI_Request> &requests) {
    const char *rest = static_cast<const char *>(data);
    while (size > 0) {
        const index_t piece = std::min(size, current_message_limit);
        requests.push_back(MPI_REQUEST_NULL);
        check(MPI_Isend(rest, static_cast<int>(piece), MPI_BYTE, to, tag, comm_, &requests.back()),
              "MPI_Isend");
        rest += piece;
        size -= piece;
    }
}

void communicator::start_receive(void *data, index_t size, int from,
                                 std::vector<MPI_Request> &requests) {
    char *rest = static_cast<char *>(data);
    bytes_received_ += static_cast<std::uint64_t>(size);
    while (size > 0) {
        const index_t piece = std::min(size, current_message_limit);
        requests.push_back(MPI_REQUEST_NULL);
        check(
            MPI_Irecv(rest, static_cast<int>(piece), MPI_BYTE, from, tag, comm_, &requests.back()),
            "MPI_Irecv");
        rest += piece;
        size -= piece;
    }
}

void communicator::send_and_receive(const void *sent, index_t sent_size, int to, void *received,
                                    index_t received_size, int from) {
    std::vector<MPI_Request> requests;
    start_receive(received, received_size, from, requests);
    start_send(sent, sent_size, to, requests);
    wait_all(requests);
}

void communicator::wait_all(std::vector<MPI_Request> &requests) {
    check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
          "MPI_Waitall");
    requests.clear();
}

void communicator::check(int result, const char *operation) const {
    if (result != MPI_SUCCESS)
        fail(std::string(operation) + ": " + mpi_message(result));
}

void communicator::fail(const std::string &message) const {
    if (const fatal_handler &handler = current_fatal_handler())
        handler(rank_, message);
    else
        abort_program(comm_, rank_, message);
    throw error(errc::communication, message);
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

world::world(MPI_Comm comm) : communicator_(std::make_shared<dist_impl::communicator>(comm)) {
    dist_impl::collectively(*communicator_, dist_impl::call_description("world"), [&] {
        communicator_->set_threads(context::global().settings().threads);
    });
    const int share = dist_impl::threads_per_rank(*communicator_);
    if (communicator_->threads() == 0)
        communicator_->set_threads(share);
}

int world::rank() const noexcept { return communicator_->rank(); }
int world::size() const noexcept { return communicator_->size(); }
int world::threads() const noexcept { return communicator_->threads(); }
MPI_Comm world::comm() const noexcept { return communicator_->handle(); }

} // namespace tenfold
