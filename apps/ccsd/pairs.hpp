// Combinations of tensors that are symmetric or antisymmetric in a pair of labels.
//
// X[p,q,r,s] = X[q,p,s,r] is written as two tensors over pairs p >= q and r >= s,
//     plus[pq,rs]  = X[p,q,r,s] + X[q,p,r,s]
//     minus[pq,rs] = X[p,q,r,s] - X[q,p,r,s]
// at the places of pair_index(). A product over a pair of two symmetric, or two antisymmetric,
// tensors takes an eighth of the work of one over all labels, so both take a quarter.
#pragma once

#include <string>

#include "tensor_set.hpp"

namespace tenfold::ccsd {

/// Collective. Creates or overwrites `plus` and `minus`. `half_diagonal`: both are halved where
/// p = q, so that a sum over the pair p >= q counts each element once.
void pack_pairs(tensor_set &tensors, const std::string &from, const std::string &plus,
                const std::string &minus, bool half_diagonal);

/// Collective. Adds (plus + minus) / 2 to the elements with r >= s, and to the others what follows
/// from to[p,q,r,s] = to[q,p,s,r].
void unpack_pairs(tensor_set &tensors, const std::string &to, const std::string &plus,
                  const std::string &minus);

/// What pack_pairs() reads to make `own` of the pairs, what unpack_pairs() reads of each of the
/// pairs' tensors to make `own` of X[p,q,r,s].
slice packed_from(const slice &own);
slice unpacked_from(const slice &own);

/// A line of pack, unpack, gather or flip in parts; `command` is empty for contractions.
struct pair_line {
    std::string command;
    std::string whole; ///< the tensor of four modes; of gather and flip, the input
    std::string plus;  ///< of gather and flip, the result
    std::string minus;
    bool half_diagonal = false;
};
pair_line parse_pair_line(const std::string &line);

/// Executes one line: a contraction, or one of
///     pack PLUS, MINUS = FROM
///     pack PLUS, MINUS = FROM, half the diagonal
///     unpack TO += PLUS, MINUS
///     gather TO = FROM
///     flip TO += FROM
void run_line(tensor_set &tensors, const std::string &line);

} // namespace tenfold::ccsd
