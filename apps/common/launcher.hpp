// Tells whether a launcher of MPI started this process, and its rank and number of ranks.
//
// The environment decides only whether MPI is initialised; a program without a launcher never
// initialises it. Rank and number come from MPI (launched_mpi), because a launcher's variables
// may be left over from elsewhere or come from the launcher of another MPI.
#pragma once

#include <memory>
#include <string>

namespace tenfold::apps_impl {

/// True below mpirun, mpiexec or srun, even with one rank.
bool under_launcher() noexcept;

/// The number of ranks and the rank of this process, as MPI states them; 1 and 0 without a
/// launcher.
int launched_ranks() noexcept;
int launched_rank() noexcept;

/// Sets what launched_ranks() and launched_rank() return, once MPI is initialised.
void set_launched(int rank, int ranks) noexcept;

/// Throws usage_error if the launcher started another number of processes than MPI's `ranks`: each
/// process would do all of the work. `mpi` names the MPI library, for instance "Open MPI v4.1.4".
void refuse_launcher_of_another_mpi(int ranks, const std::string &mpi);

class mpi_session;

/// Initialises MPI for the life of a program if a launcher started it; without a launcher, does
/// nothing.
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
