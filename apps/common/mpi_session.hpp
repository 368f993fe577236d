// MPI for the length of a program's work, and agreement on errors; for programs with the
// distributed part only.
#pragma once

#include <cstdlib>
#include <exception>
#include <string>

#include <mpi.h>

#include "apps/common/program.hpp"

namespace tenfold::apps_impl {

/// Initialises MPI and finalises it, unless MPI is initialised already: run_program() does so below
/// a launcher. Programs without a launcher create a session themselves if they need MPI.
class mpi_session {
public:
    mpi_session() {
        int initialised = 0;
        MPI_Initialized(&initialised);
        owns_ = initialised == 0;
        if (!owns_)
            return;
        // Without a launcher, Open MPI would start a daemon that is not needed.
        setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
        // Only the main thread calls MPI (funneled); MPI_THREAD_SINGLE suffices if that is all
        // there is.
        int provided = MPI_THREAD_SINGLE;
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    }
    ~mpi_session() {
        if (owns_)
            MPI_Finalize();
    }
    mpi_session(const mpi_session &) = delete;
    mpi_session &operator=(const mpi_session &) = delete;

private:
    bool owns_ = true;
};

/// Runs `body` on every rank. If it throws on any rank, all ranks throw, with the message and the
/// exit status of the lowest such rank. Use it for work that ranks do separately, such as reading
/// files, because an error on one rank must not leave the others waiting. Collective.
template <class Body> void agree(MPI_Comm comm, Body &&body) {
    std::string message;
    int status = exit_success;
    try {
        body();
    } catch (const usage_error &problem) {
        message = problem.what();
        status = exit_wrong_usage;
    } catch (const std::exception &problem) {
        message = problem.what();
        status = exit_status_of(problem);
    }

    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const int failed_here = status == exit_success ? ranks : rank;
    int failed = ranks;
    // A world's communicator returns errors.
    const auto expect = [](int result, const char *operation) {
        if (result != MPI_SUCCESS)
            throw failure(std::string(operation) + " failed, and the ranks could not agree");
    };
    expect(MPI_Allreduce(&failed_here, &failed, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
    if (failed == ranks)
        return;
    int header[2] = {status, static_cast<int>(message.size())};
    expect(MPI_Bcast(header, 2, MPI_INT, failed, comm), "MPI_Bcast");
    message.resize(static_cast<std::size_t>(header[1]));
    expect(MPI_Bcast(message.data(), header[1], MPI_CHAR, failed, comm), "MPI_Bcast");
    if (header[0] == exit_wrong_usage)
        throw usage_error(message);
    throw failure(message);
}

} // namespace tenfold::apps_impl
