// Whether a launcher of MPI started this process, and which rank of how many it is.
//
// The environment only says whether MPI is to be initialised: alone, a program never does. Rank and
// number are MPI's (launched_mpi.hpp), because variables of a launcher may be left over from
// elsewhere, and may come from the launcher of another MPI.
#pragma once

#include <string>

namespace tenfold::apps_impl {

/// True below mpirun, mpiexec or srun, even with one rank.
bool under_launcher() noexcept;

/// The number of ranks and this one's, as MPI states them; 1 and 0 alone.
int launched_ranks() noexcept;
int launched_rank() noexcept;

/// What MPI stated, once it is initialised.
void set_launched(int rank, int ranks) noexcept;

/// Throws usage_error if launchers started another number of processes than `ranks`, which is what
/// `mpi` says, for instance "Open MPI v4.1.4": each process would do all of the work.
void refuse_launcher_of_another_mpi(int ranks, const std::string &mpi);

} // namespace tenfold::apps_impl
