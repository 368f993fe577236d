#include "apps/common/launcher.hpp"

#include <algorithm>

#include "apps/common/mpi_session.hpp"

namespace tenfold::apps_impl {

launched_mpi::launched_mpi() {
    if (!under_launcher())
        return;
    session_ = std::make_unique<mpi_session>();
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    set_launched(rank, ranks);
}

launched_mpi::~launched_mpi() = default;

std::string launched_mpi::name_and_version() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(text, &length);
    // The text is "Open MPI v4.1.4, package: .." or "MPICH Version:\t4.0.2\n..".
    std::string name(text, static_cast<std::size_t>(length));
    name.resize(std::min(name.find_first_of(",\n"), name.size()));
    for (char &letter : name)
        if (letter == '\t')
            letter = ' ';
    return name;
}

} // namespace tenfold::apps_impl
