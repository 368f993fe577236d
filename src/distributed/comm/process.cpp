// By itself, so that programs of one process can ask where they are without the rest of the part.
#include <algorithm>
#include <cstdlib>

#include <mpi.h>

#include <tenfold/dist_process.hpp>
#include <tenfold/error.hpp>

namespace tenfold {
namespace {

struct state_of_mpi {
    int initialised = 0;
    int finalised = 0;

    state_of_mpi() {
        MPI_Initialized(&initialised);
        MPI_Finalized(&finalised);
    }
    bool is_usable() const noexcept { return initialised != 0 && finalised == 0; }
};

} // namespace

process_place place_in_mpi() {
    const state_of_mpi state;
    if (!state.is_usable())
        throw error(errc::communication, state.finalised != 0
                                             ? "MPI was finalised"
                                             : "MPI is not initialised; call MPI_Init first");
    process_place here;
    MPI_Comm_rank(MPI_COMM_WORLD, &here.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &here.ranks);
    return here;
}

std::string mpi_library() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(text, &length);
    // "Open MPI v4.1.4, package: .." or "MPICH Version:\t4.0.2\n..".
    std::string name(text, static_cast<std::size_t>(length));
    name.resize(std::min(name.find_first_of(",\n"), name.size()));
    std::replace(name.begin(), name.end(), '\t', ' ');
    return name;
}

void end_all_ranks(int status) noexcept {
    if (state_of_mpi().is_usable())
        MPI_Abort(MPI_COMM_WORLD, status);
    std::_Exit(status);
}

} // namespace tenfold
