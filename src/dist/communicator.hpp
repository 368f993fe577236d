// A duplicate of the user's communicator, point-to-point messages of any size on it, and counters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <mpi.h>

#include <tenfold/dist.hpp>

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

    /// Counts collective calls, so that a skipped one shows as a disagreement.
    std::uint64_t next_call() noexcept { return ++calls_; }

    /// Payload that was received since construction; control messages are not payload.
    std::uint64_t bytes_received() const noexcept { return bytes_received_; }

    /// Starts messages of any length, in pieces of at most message_limit(); requests are appended.
    /// Between two ranks messages match in the order in which they were started.
    void start_send(const void *data, index_t size, int to, std::vector<MPI_Request> &requests);
    void start_receive(void *data, index_t size, int from, std::vector<MPI_Request> &requests);
    /// Both, to completion. Either side may be empty.
    void send_and_receive(const void *sent, index_t sent_size, int to, void *received,
                          index_t received_size, int from);
    void wait_all(std::vector<MPI_Request> &requests);

    /// Ends the program (see set_fatal_handler) unless `result` is MPI_SUCCESS.
    void check(int result, const char *operation) const;
    [[noreturn]] void fail(const std::string &message) const;

  private:
    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
    int threads_ = 1;
    std::uint64_t calls_ = 0;
    std::uint64_t bytes_received_ = 0;
};

index_t message_limit() noexcept;

/// Cores that the ranks of this node may use, divided by those ranks; collective.
int threads_per_rank(const communicator &comm);

} // namespace tenfold::dist_impl
