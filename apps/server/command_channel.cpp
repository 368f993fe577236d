#include "apps/server/command_channel.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace tenfold::server {
namespace {

constexpr int tag = 1;
constexpr std::chrono::microseconds first_sleep{20};
constexpr std::chrono::microseconds most_sleep{5000};
/// A rank sleeps for this part of the time that it has waited for: a client that goes on at once
/// loses no time, and a server that nobody asks takes none.
constexpr int part_of_wait = 64;

} // namespace

command_channel::command_channel(MPI_Comm comm) {
    MPI_Comm_dup(comm, &comm_);
    // A world's communicator returns errors. Here one means that a rank is gone, whose command the
    // others would wait for.
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &ranks_);
}

command_channel::~command_channel() { MPI_Comm_free(&comm_); }

void command_channel::send(const std::vector<std::uint8_t> &message) const { pass_on(message); }

std::vector<std::uint8_t> command_channel::receive() const {
    const int from = (rank_ - 1) / 2;
    MPI_Status found;
    using clock = std::chrono::steady_clock;
    const clock::time_point began = clock::now();
    for (;;) {
        int is_there = 0;
        MPI_Iprobe(from, tag, comm_, &is_there, &found);
        if (is_there != 0)
            break;
        const clock::duration waited = clock::now() - began;
        std::this_thread::sleep_for(
            std::clamp<clock::duration>(waited / part_of_wait, first_sleep, most_sleep));
    }
    int size = 0;
    MPI_Get_count(&found, MPI_BYTE, &size);
    std::vector<std::uint8_t> message(static_cast<std::size_t>(size));
    MPI_Recv(message.data(), size, MPI_BYTE, from, tag, comm_, MPI_STATUS_IGNORE);
    pass_on(message);
    return message;
}

void command_channel::pass_on(const std::vector<std::uint8_t> &message) const {
    for (const int to : {2 * rank_ + 1, 2 * rank_ + 2})
        if (to < ranks_)
            MPI_Send(message.data(), static_cast<int>(message.size()), MPI_BYTE, to, tag, comm_);
}

} // namespace tenfold::server
