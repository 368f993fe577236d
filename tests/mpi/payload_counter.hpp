// What this rank asks of MPI, counted between the library and MPI by the profiling interface.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tenfold::testing {

struct mpi_traffic {
    // Payload: messages of its tag, by MPI_Isend and MPI_Irecv.
    std::int64_t sent = 0;
    std::int64_t received = 0;
    std::int64_t longest = 0; ///< of one message
    /// Bytes that this rank puts into anything else that is allowed: all-reduces, and messages of
    /// other tags. Agreement, and the report's maxima over the ranks.
    std::int64_t control = 0;
    /// Every other function that moves data, by name.
    std::map<std::string, int> others;
};

mpi_traffic &traffic();

} // namespace tenfold::testing
