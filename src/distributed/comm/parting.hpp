// Frees communicators when all of their ranks have let go of them.
#pragma once

#include <chrono>

#include <mpi.h>

namespace tenfold::dist_impl {

/// Frees the communicator as soon as all its ranks have called this, now or in a later call of
/// either function, and never if they do not: Open MPI 4.1 may crash (in mca_pml_ob1_add_comm) if a
/// rank frees a communicator for which messages of a rank that uses it are under way.
void free_when_all_have_left(MPI_Comm comm) noexcept;

/// Frees what can be freed, and waits at most this long until all can be.
void free_what_all_have_left(std::chrono::steady_clock::duration patience) noexcept;

} // namespace tenfold::dist_impl
