// Commands from rank 0 to all ranks, which sleep until one comes.
#pragma once

#include <cstdint>
#include <vector>

#include <mpi.h>

namespace tenfold::server {

/// A binary tree: rank r passes commands on to ranks 2 r + 1 and 2 r + 2. A rank that waits polls,
/// with sleeps that grow with the time, up to most_sleep: MPI's own waiting would keep its core
/// busy for as long as nobody asks anything. No watchdog watches it, because waiting is what a
/// server does. It calls MPI itself, because a collective call of the library would be all of what
/// this must not be: a wait that keeps a core busy, that is watched, and reported when it takes
/// long.
class command_channel {
public:
    /// Collective.
    explicit command_channel(MPI_Comm comm);
    ~command_channel();
    command_channel(const command_channel &) = delete;
    command_channel &operator=(const command_channel &) = delete;

    /// On rank 0.
    void send(const std::vector<std::uint8_t> &message) const;
    /// On the others: waits, and passes the message on.
    std::vector<std::uint8_t> receive() const;

private:
    void pass_on(const std::vector<std::uint8_t> &message) const;

    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0;
    int ranks_ = 1;
};

} // namespace tenfold::server
