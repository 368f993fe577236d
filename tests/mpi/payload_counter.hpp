// Counts what this rank sends and receives, between the library and MPI by the profiling interface.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tenfold::testing {

struct mpi_traffic {
    // Payload: messages with its tag, by MPI_Isend and MPI_Irecv.
    std::int64_t sent = 0;
    std::int64_t received = 0;
    std::map<int, std::int64_t> received_from; ///< by rank
    std::int64_t longest = 0;                  ///< of one message
    /// Bytes that this rank puts into all other allowed calls: all-reduces, and messages with other
    /// tags. They serve agreement and the report's maxima over the ranks.
    std::int64_t control = 0;
    void *received_into = nullptr; ///< by the last receive of payload
    /// MPI_Testall() says that messages are under way, as those are of which a peer has not sent
    /// the rest.
    bool keeps_messages = false;
    /// Calls of all other functions that move data, by name.
    std::map<std::string, int> others;
};

mpi_traffic &traffic();

} // namespace tenfold::testing
