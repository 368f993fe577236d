// Whether an MPI launcher started this process, found out without calling MPI: alone, a program
// never initialises it.
#pragma once

namespace tenfold::apps_impl {

/// True below mpirun, mpiexec or srun, even with one rank.
bool under_launcher() noexcept;

/// The number of ranks and this one's, as the launcher states them; 1 and 0 alone.
int launched_ranks() noexcept;
int launched_rank() noexcept;

} // namespace tenfold::apps_impl
