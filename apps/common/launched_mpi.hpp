// Initialises MPI for the life of a program if a launcher started it; without a launcher, does
// nothing.
#pragma once

#include <memory>
#include <string>

namespace tenfold::apps_impl {

class mpi_session;

class launched_mpi {
public:
    /// Below a launcher initialises MPI and keeps the rank and the number of ranks for
    /// launched_rank() and launched_ranks(). A build without MPI stays rank 0 of 1.
    launched_mpi();
    /// Finalises MPI.
    ~launched_mpi();
    launched_mpi(const launched_mpi &) = delete;
    launched_mpi &operator=(const launched_mpi &) = delete;

    /// Returns "Open MPI v4.1.4"; empty in a build without MPI.
    static std::string name_and_version();

private:
    std::unique_ptr<mpi_session> session_;
};

} // namespace tenfold::apps_impl
