// What this rank asks of MPI, counted between the library and MPI by the profiling interface.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tenfold::testing {

struct mpi_traffic {
    std::int64_t sent = 0;     ///< bytes of MPI_Isend
    std::int64_t received = 0; ///< bytes of MPI_Irecv
    std::int64_t longest = 0;  ///< of one message
    /// Calls of MPI_Allreduce and MPI_Iallreduce, and their bytes: agreement, and the report's
    /// maxima over the ranks.
    std::int64_t reductions = 0;
    std::int64_t reduced = 0;
    /// Every other function that moves data, by name.
    std::map<std::string, int> others;
};

mpi_traffic &traffic();

} // namespace tenfold::testing
