// Distributed tensors that are symmetric or antisymmetric in two modes, stored once for each pair.
#ifndef TENFOLD_C_DISTRIBUTED_PAIRS_H
#define TENFOLD_C_DISTRIBUTED_PAIRS_H

#include <tenfold/c/distributed/tensor.h>

TENFOLD_BEGIN_C

/// The pair p >= q is number p (p + 1) / 2 + q of symmetric tensors, n (n + 1) / 2 in all; the pair
/// p > q is number p (p - 1) / 2 + q of antisymmetric ones, n (n - 1) / 2 in all.
typedef int32_t tenfold_pair_kind;
enum { TENFOLD_PAIRS_SYMMETRIC = 0, TENFOLD_PAIRS_ANTISYMMETRIC = 1 };

/// Collective. Computes P, in which one mode stands for the modes `mode` and `mode` + 1 of X (from
/// 0). With the other indices left out,
///     symmetric      P[pq] = X[p,q] + X[q,p]   for p >= q, so that P[pp] = 2 X[p,p]
///     antisymmetric  P[pq] = X[p,q] - X[q,p]   for p > q
/// Both are tensors of one type, which is f32, f64, c32 or c64, in any distributions, on which the
/// bits do not depend. A rank receives what it lacks of the at most 2 n elements of X from which
/// the n elements of its block are made, and needs memory for twice as many. Codes:
/// TENFOLD_TYPE_MISMATCH, INVALID_ARGUMENT (X has no such modes, different worlds, a number that is
/// no kind), EXTENT_MISMATCH (the two modes differ, or P has other extents than these),
/// ORDER_MISMATCH, OUT_OF_MEMORY, DISAGREEMENT.
tenfold_error tenfold_dist_pack_pairs(const tenfold_dist_tensor *x, int32_t mode,
                                      tenfold_pair_kind kind, tenfold_dist_tensor *p);
/// Collective. Adds what tenfold_dist_pack_pairs() took apart, with the factor 1/2 that makes the
/// two kinds add up to X:
///     symmetric      X[p,q] += P[pq] / 2 and, for p > q, X[q,p] += P[pq] / 2
///     antisymmetric  X[p,q] += P[pq] / 2 and X[q,p] -= P[pq] / 2
/// A rank receives at most as many elements of P as it has of X. The same codes.
tenfold_error tenfold_dist_unpack_pairs(const tenfold_dist_tensor *p, int32_t mode,
                                        tenfold_pair_kind kind, tenfold_dist_tensor *x);

TENFOLD_END_C

#endif
