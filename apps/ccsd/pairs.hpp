// Combinations of tensors that are symmetric or antisymmetric in a pair of labels, as two tensors
// over pairs (pack_pair_matrices() of <tenfold/chem_pairs.hpp>), and the lines of equations that
// make them.
#pragma once

#include <string>
#include <vector>

#include "apps/ccsd/tensor_set.hpp"

namespace tenfold::ccsd {

/// Collective. Creates or overwrites `plus` and `minus`. `half_diagonal`: halves both where p = q,
/// so that a sum over the pair p >= q counts each element once.
void pack_pairs(tensor_set &tensors, const std::string &from, const std::string &plus,
                const std::string &minus, bool half_diagonal);

/// Collective. Adds (plus + minus) / 2 to the elements with r >= s, and to the others the value
/// that follows from to[p,q,r,s] = to[q,p,s,r]. If placement has `buffers` whole on each rank, the
/// pairs are gathered in them: tensors like plus and minus.
void unpack_pairs(tensor_set &tensors, const std::string &to, const std::string &plus,
                  const std::string &minus, const std::vector<std::string> &buffers);

/// The parts of a line of pack, unpack, gather, flip or combine; `command` is empty for
/// contractions.
struct pair_line {
    std::string command;
    std::string whole; ///< the tensor of four modes; for gather and flip the input
    std::string plus;  ///< for gather and flip the result
    std::string minus;
    bool half_diagonal = false;
    std::vector<std::string> buffers; ///< tensors that are overwritten
};
pair_line parse_pair_line(const std::string &line);

/// The tensors that a line writes.
std::vector<std::string> written_by(const std::string &line);

/// Executes one line: a contraction, or one of
///     pack PLUS, MINUS = FROM
///     pack PLUS, MINUS = FROM, half the diagonal
///     unpack TO += PLUS, MINUS through PLUS_LIKE, MINUS_LIKE
///     gather TO = FROM
///     flip TO += FROM
///     combine amplitudes         (amplitudes.hpp)
void run_line(tensor_set &tensors, const std::string &line);

} // namespace tenfold::ccsd
