// What becomes of communicators whose worlds are gone.
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

/// Keeps the communicator of a world that has failed. Operations may still be under way on it, so
/// that it is never freed.
void keep_failed(MPI_Comm comm) noexcept;

/// Receives what other ranks have sent on failed communicators and no operation receives any more,
/// until none has come for a tenth of a second, for at most this long: MPI_Finalize of MPICH waits
/// until every large message has found its receive.
void receive_for_failed(std::chrono::steady_clock::duration patience) noexcept;

} // namespace tenfold::dist_impl
