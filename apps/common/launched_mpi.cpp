#include "apps/common/launcher.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

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

void expect_mpi(int result, const char *call) noexcept {
    if (result == MPI_SUCCESS)
        return;
    std::fprintf(stderr, "error: %s failed, and the ranks cannot go on\n", call);
    MPI_Abort(MPI_COMM_WORLD, exit_failure);
    std::abort();
}

} // namespace tenfold::apps_impl
