// Worlds: the ranks that share tensors.
#ifndef TENFOLD_C_DISTRIBUTED_WORLD_H
#define TENFOLD_C_DISTRIBUTED_WORLD_H

#include <mpi.h>

#include <tenfold/c/context.h>

TENFOLD_BEGIN_C

/// The ranks of one communicator.
typedef struct tenfold_world tenfold_world;

/// Collective over `comm`, which is duplicated. Any thread level of MPI is sufficient. *world is
/// NULL unless TENFOLD_OK is returned. Codes: TENFOLD_COMMUNICATION unless MPI is initialised,
/// TENFOLD_INVALID_ARGUMENT for MPI_COMM_NULL and intercommunicators.
tenfold_error tenfold_world_create(MPI_Comm comm, tenfold_world **world);
/// The same from a handle of Fortran, which is an integer, for languages that do not read mpi.h.
tenfold_error tenfold_world_create_f(MPI_Fint comm, tenfold_world **world);
/// The same with the settings of a context (threads, watchdog_seconds, presence_seconds) and its
/// log for warnings about the world, in place of those of the process. The context is not referred
/// to later; contractions take theirs from their options. NULL: the context of the process.
tenfold_error tenfold_world_create_with(MPI_Comm comm, const tenfold_context *context,
                                        tenfold_world **world);
tenfold_error tenfold_world_create_with_f(MPI_Fint comm, const tenfold_context *context,
                                          tenfold_world **world);
/// NULL is ignored. Tensors keep what they need of it; the duplicate is freed with the last of
/// them, or abandoned if MPI is finalised before. So all ranks should destroy a world and its
/// tensors.
void tenfold_world_destroy(tenfold_world *world);

tenfold_error tenfold_world_rank(const tenfold_world *world, int32_t *rank);
tenfold_error tenfold_world_size(const tenfold_world *world, int32_t *size);
/// Threads for local work on this rank: the context's setting, else this rank's share of the node;
/// see tenfold::world::threads().
tenfold_error tenfold_world_threads(const tenfold_world *world, int32_t *threads);
/// Ranks of a node, if rank r is on node r / ranks_per_node for all of them; 0 if not, or if all
/// are on one node. Contractions plan with it; see tenfold::world::ranks_per_node().
tenfold_error tenfold_world_ranks_per_node(const tenfold_world *world, int32_t *ranks_per_node);
/// Tenfold's duplicate of the communicator.
tenfold_error tenfold_world_comm(const tenfold_world *world, MPI_Comm *comm);

/// Collective. Returns TENFOLD_OK if all ranks pass that as `code`; otherwise all ranks return the
/// code of the lowest rank which does not, and have its message. A rank that cannot make the
/// collective call which the others make calls this instead: then their call fails with its code.
/// `message` NULL: that of this thread's last error. TENFOLD_INVALID_ARGUMENT for a number that is
/// no code. For bindings, and for programs that fail between calls.
tenfold_error tenfold_world_agree(const tenfold_world *world, tenfold_error code,
                                  const char *message);

/// Is called when ranks cannot go on together, because MPI or a local step failed after data began
/// to move. It must not return; if it does, the call returns TENFOLD_COMMUNICATION and the world
/// can no longer be used. The message lives as long as the call.
typedef void (*tenfold_fatal_function)(int32_t rank, const char *message, void *user);
/// Replaces the function of the whole process. NULL restores the default, which prints the message
/// to stderr and calls MPI_Abort.
tenfold_error tenfold_set_fatal_function(tenfold_fatal_function function, void *user);

TENFOLD_END_C

#endif
