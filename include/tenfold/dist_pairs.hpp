// Distributed tensors that are symmetric or antisymmetric in two modes, stored once for each pair,
// as <tenfold/chem_pairs.hpp> does in one process. Link tenfold::dist.
#pragma once

#include <tenfold/chem_pairs.hpp>
#include <tenfold/dist.hpp>

namespace [[gnu::visibility("default")]] tenfold {
namespace chem {

/// Collective. Computes P, in which one mode stands for the modes `mode` and `mode` + 1 of X. With
/// the other indices left out,
///     symmetric      P[pq] = X[p,q] + X[q,p]   for p >= q, so that P[pp] = 2 X[p,p]
///     antisymmetric  P[pq] = X[p,q] - X[q,p]   for p > q
/// so T[a,b,i,j] becomes pairs of a and b by mode 0, and then pairs of i and j by mode 1:
///     dist_tensor<double> half(everyone, {pair_count(v), o, o});
///     dist_tensor<double> packed(everyone, {pair_count(v), pair_count(o)});
///     pack_pairs(T, 0, pair_kind::symmetric, half);
///     pack_pairs(half, 1, pair_kind::symmetric, packed);
/// Distributions are those of the two tensors, and the bits do not depend on them. A rank receives
/// what it lacks of the at most 2 n elements of X from which the n elements of its block are made,
/// and needs memory for twice as many. Throws errc::invalid_argument if X has no such modes or if
/// the worlds differ, errc::extent_mismatch if their extents differ or if those of P are not the
/// ones above, errc::order_mismatch, errc::out_of_memory.
template <class T> [[gnu::visibility("default")]] void
pack_pairs(const dist_tensor<T> &x, int mode, pair_kind kind, dist_tensor<T> &packed);

/// Collective. Adds what pack_pairs() took apart, with the factor 1/2 that makes the two kinds add
/// up to X:
///     symmetric      X[p,q] += P[pq] / 2 and, for p > q, X[q,p] += P[pq] / 2
///     antisymmetric  X[p,q] += P[pq] / 2 and X[q,p] -= P[pq] / 2
/// A rank receives what it lacks of the elements of P that its block of X needs, at most as many as
/// it has. Throws as pack_pairs().
template <class T> [[gnu::visibility("default")]] void
unpack_pairs(const dist_tensor<T> &packed, int mode, pair_kind kind, dist_tensor<T> &x);

/// Collective. pack_pair_matrices() of <tenfold/chem_pairs.hpp> for a whole X[p,q,r,s] =
/// X[q,p,s,r]:
///     plus[pq,rs]  = X[p,q,r,s] + X[q,p,r,s]
///     minus[pq,rs] = X[p,q,r,s] - X[q,p,r,s]   for p >= q and r >= s
/// in one pass over X. Elements with r < s are not read. plus and minus lie alike; X may lie
/// anywhere. A rank receives what it lacks of the at most 2 n elements of X, and of the rest of the
/// rows p that its block begins and ends in, from which it makes the n elements of its block; if it
/// lacks none, it needs no memory, else that of the smallest box around them beside messages.
/// Throws errc::order_mismatch, errc::extent_mismatch, errc::invalid_argument (different worlds, or
/// distributions of plus and minus), errc::out_of_memory.
void pack_pair_matrices(const dist_tensor<double> &x, dist_tensor<double> &plus,
                        dist_tensor<double> &minus, bool half_diagonal = false);

/// Collective. Adds (plus + minus) / 2 to the elements X[p,q,r,s] with r >= s, and to the others
/// the value that follows from X[p,q,r,s] = X[q,p,s,r]. A rank receives the pairs with an index in
/// its block of X that it lacks. Throws as pack_pair_matrices().
void unpack_pair_matrices(const dist_tensor<double> &plus, const dist_tensor<double> &minus,
                          dist_tensor<double> &x);

} // namespace chem
} // namespace tenfold
