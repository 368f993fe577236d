// Which boxes of X a rank reads to pack pairs of X's modes, and which boxes of pairs to unpack them
// (<tenfold/dist_pairs.hpp>). Plans count them, and execution reads them.
#pragma once

#include <vector>

#include <tenfold/dist_plan.hpp>

#include "base/pair_modes.hpp"

namespace tenfold::dist_impl {

/// A row of pairs in a block, and where the elements lie that are read for it.
struct pair_row_box {
    base::pair_row row;
    bool is_flipped; ///< [q,p] rather than [p,q]
    slice where;
};

/// Of X, for a block of P in which `mode` stands for the pairs: two boxes for each row, [p,q] and
/// then [q,p].
std::vector<pair_row_box> boxes_to_pack(const slice &block, int mode, chem::pair_kind kind);
/// Of P, for a block of X: its rows of pairs that have p or q in the block.
std::vector<pair_row_box> boxes_to_unpack(const slice &block, int mode, chem::pair_kind kind);

/// Of X[p,q,r,s], for a block of the matrices of pack_pair_matrices(). Rows of pairs p >= q count
/// as a whole.
std::vector<slice> boxes_to_pack_matrices(const slice &block);
/// Of each of the two matrices, for a block of X[p,q,r,s].
std::vector<slice> boxes_to_unpack_matrices(const slice &block);

/// Where all of these boxes lie; empty for an empty block.
slice bounds_to_pack_matrices(const slice &block);
slice bounds_to_unpack_matrices(const slice &block);

} // namespace tenfold::dist_impl
