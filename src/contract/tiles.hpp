// A contraction cut into tiles: boxes of its index space, each a contraction of its own with the
// strides of the whole.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "einsum/problem.hpp"

namespace tenfold::contract_impl {

/// The largest extent that a tile has along every mode, group by group, as the problem orders
/// them. Isolated modes are never cut.
struct tile_extents {
    extents_t batch, m, n, k;

    /// Nothing is cut.
    static tile_extents whole(const einsum_impl::contraction_problem &problem);

    friend bool operator==(const tile_extents &, const tile_extents &) = default;
};

using group_of_problem = einsum_impl::mode_group einsum_impl::contraction_problem::*;

/// A mode that is cut: `count` tiles, the last one perhaps shorter.
struct cut_mode {
    group_of_problem group;
    std::size_t place; ///< in its group
    index_t count;
    index_t tile;                                        ///< extent of all tiles but the last
    index_t last;                                        ///< extent of the last one, 1 .. tile
    std::array<index_t, einsum_impl::tensor_count> step; ///< elements from tile to tile
    unsigned ragged; ///< the bit of a tile's kind that its last tile sets; 0 if that is as long
    std::string label;
};

class tiling {
public:
    /// `innermost_n`: tiles along n follow each other first, so that A's tile is used for all of
    /// them while it is in cache; otherwise tiles along m do.
    tiling(const einsum_impl::contraction_problem &problem, const tile_extents &extents,
           bool innermost_n);

    /// Modes that are cut: those of D, fastest first, and those that are summed.
    const std::vector<cut_mode> &places() const noexcept { return places_; }
    const std::vector<cut_mode> &sums() const noexcept { return sums_; }
    index_t place_count() const noexcept { return place_count_; }
    index_t sum_count() const noexcept { return sum_count_; }

    /// Kinds of tiles: those at the end of a mode that leaves a remainder are shorter. A kind is
    /// the sum of the `ragged` bits of the modes whose end it lies at.
    unsigned kinds() const noexcept { return 1u << ragged_modes_; }
    /// The contraction of one tile.
    einsum_impl::contraction_problem tile(unsigned kind) const;

    /// "a in 3 of 24, b in 32 of 1".
    std::string describe() const;

private:
    void cut(group_of_problem group, const extents_t &extents, std::vector<cut_mode> &into);

    einsum_impl::contraction_problem whole_;
    std::vector<cut_mode> places_, sums_;
    index_t place_count_ = 1, sum_count_ = 1;
    int ragged_modes_ = 0;
};

} // namespace tenfold::contract_impl
