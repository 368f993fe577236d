// MPI for the length of a program's work, and agreement on errors; for programs with the
// distributed part only.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include <mpi.h>

#include <tenfold/dist_operations.hpp>

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
template <class Body> void run_agreed(const world &ranks, Body &&body) {
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
    std::optional<error> failed;
    if (status != exit_success)
        failed.emplace(errc::invalid_argument, message);
    try {
        tenfold::agree(ranks, failed);
        return;
    } catch (const error &problem) {
        if (problem.code() != errc::invalid_argument) // a rank has left, or makes another call
            throw;
    }
    const std::vector<int> all = all_gather(ranks, status);
    const auto lowest =
        std::find_if(all.begin(), all.end(), [](int one) { return one != exit_success; });
    broadcast(ranks, message, static_cast<int>(lowest - all.begin()));
    if (*lowest == exit_wrong_usage)
        throw usage_error(message);
    throw failure(message);
}

} // namespace tenfold::apps_impl
