// Worlds of some of a world's ranks, and tensors that move between the two. Link tenfold::dist.
#pragma once

#include <optional>

#include <tenfold/dist.hpp>

namespace [[gnu::visibility("default")]] tenfold {

/// Collective. Returns a world of the ranks that pass the same `group`, in their order; nothing on
/// ranks whose group is negative:
///     const auto part = split(everyone, everyone.rank() < 4 ? 0 : -1); // of the first four ranks
/// Threads, watchdog and presence are those of `where`. Throws as the constructors of a world.
[[gnu::visibility("default")]] std::optional<world> split(const world &where, int group);

/// Collective. Returns a world of the ranks on this rank's node (those that can share memory), in
/// their order, likewise. Its size is the number of ranks that share the node's memory and cores.
[[gnu::visibility("default")]] world split_by_node(const world &where);

/// Collective over X's world. S = X, where S is a tensor of a world of some of these ranks, in any
/// distribution: ranks that are not in it pass null.
///     dist_tensor<double> X(everyone, {40, 40});
///     std::optional<dist_tensor<double>> S;
///     if (part)
///         S.emplace(*part, extents_t{40, 40});
///     copy_to_part(X, S ? &*S : nullptr);
/// Ranks of several such worlds may pass tensors of theirs, each of which becomes equal to X. A
/// rank receives at most its block of S, and needs memory for it once more. Throws, on all ranks of
/// X's world, errc::extent_mismatch and errc::order_mismatch for other extents than X's;
/// errc::invalid_argument if a rank of S's world is not in X's world, or passes no tensor or
/// another one; errc::out_of_memory.
template <class T>
[[gnu::visibility("default")]] void copy_to_part(const dist_tensor<T> &x, dist_tensor<T> *s);

/// Collective over X's world. X = S, likewise; all ranks that pass a tensor pass the same one.
/// Throws as copy_to_part(), errc::overlap if ranks pass tensors of several worlds, and
/// errc::invalid_argument if nobody passes one.
template <class T>
[[gnu::visibility("default")]] void copy_from_part(const dist_tensor<T> *s, dist_tensor<T> &x);

} // namespace tenfold
