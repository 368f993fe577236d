// Worlds of some of a world's ranks, and tensors that move between the two.
#ifndef TENFOLD_C_DISTRIBUTED_SPLIT_H
#define TENFOLD_C_DISTRIBUTED_SPLIT_H

#include <tenfold/c/distributed/tensor.h>

TENFOLD_BEGIN_C

/// Collective. A world of the ranks that pass the same `group`, in their order. Ranks whose group
/// is negative get none: *part is NULL there, as it is unless TENFOLD_OK is returned. Threads,
/// watchdog and presence are those of `world`. Codes of tenfold_world_create().
tenfold_error tenfold_world_split(const tenfold_world *world, int32_t group, tenfold_world **part);
/// Collective. A world of the ranks on this rank's node (those that can share memory), likewise.
tenfold_error tenfold_world_split_by_node(const tenfold_world *world, tenfold_world **part);

/// Collective over X's world. S = X, where S is a tensor of a world of some of these ranks, in any
/// distribution: ranks that are not in it pass NULL. Ranks of several such worlds may pass tensors
/// of theirs, each of which becomes equal to X. A rank receives at most its block of S. Codes, on
/// all ranks of X's world: TENFOLD_TYPE_MISMATCH, ORDER_MISMATCH, EXTENT_MISMATCH, INVALID_ARGUMENT
/// (a rank of S's world is not in X's world, or passes no tensor or another one), OUT_OF_MEMORY,
/// DISAGREEMENT.
tenfold_error tenfold_dist_copy_to_part(const tenfold_dist_tensor *x, tenfold_dist_tensor *s);
/// Collective over X's world. X = S, likewise. All ranks that pass a tensor pass the same one.
/// Codes likewise, and TENFOLD_OVERLAP for tensors of several worlds, INVALID_ARGUMENT if no rank
/// passes one.
tenfold_error tenfold_dist_copy_from_part(const tenfold_dist_tensor *s, tenfold_dist_tensor *x);

TENFOLD_END_C

#endif
