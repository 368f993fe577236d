// This process among those that the launcher of MPI started, before there is a world or when it
// cannot be used. Link tenfold::dist.
#pragma once

#include <string>

namespace [[gnu::visibility("default")]] tenfold {

/// A process in MPI_COMM_WORLD.
struct process_place {
    int rank = 0;
    int ranks = 1;
};
/// Local. Throws errc::communication unless MPI is initialised and not finalised.
process_place place_in_mpi();

/// Local, also before MPI_Init. The MPI library and its version, such as "Open MPI v4.1.4".
std::string mpi_library();

/// Local. Ends all ranks of MPI_COMM_WORLD at once, with this exit status: for errors after which
/// they can no longer work together, of which some ranks may not know. Without MPI, ends this
/// process.
[[noreturn]] void end_all_ranks(int status) noexcept;

} // namespace tenfold
