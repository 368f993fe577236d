// A contraction cut into tiles: boxes of its index space. Each is a contraction of its own with the
// strides of the whole.
#pragma once

#include <string>
#include <vector>

#include "einsum/problem/problem.hpp"

namespace tenfold::contract_impl {

using group_of_problem = einsum_impl::mode_group einsum_impl::contraction_problem::*;

/// The largest extent of a tile along every mode, by group, in the problem's order. Isolated modes
/// are not cut.
struct tile_extents {
    extents_t batch, m, n, k;

    /// One tile: nothing is cut.
    static tile_extents whole(const einsum_impl::contraction_problem &problem);

    /// The extents of batch, m, n or k.
    extents_t &of(group_of_problem group) noexcept;

    friend bool operator==(const tile_extents &, const tile_extents &) = default;
};

/// Each mode with a remainder doubles the number of kinds of tiles, and every kind has its own
/// plans.
constexpr std::size_t most_ragged_modes = 4;

/// Returns `tiles` with at most most_ragged_modes modes that leave a remainder. The modes for which
/// it costs least get a smaller extent that divides the mode's.
tile_extents with_few_remainders(tile_extents tiles,
                                 const einsum_impl::contraction_problem &problem);

/// A cut mode; the last tile may be shorter.
struct cut_mode {
    group_of_problem group;
    std::size_t place; ///< in its group
    index_t tile;      ///< extent of all tiles but the last
    index_t last;      ///< extent of the last tile, 1 .. tile
    unsigned ragged;   ///< the bit in a tile's kind for its last tile; 0 if that is not shorter
};

/// Loops over tiles: extents count tiles, and strides lead from one tile to the next.
struct tile_loops {
    einsum_impl::mode_group modes;
    std::vector<cut_mode> cuts; ///< one for each mode
};

class tiling {
public:
    /// At most most_ragged_modes modes may leave a remainder.
    ///
    /// `innermost_n`: consecutive tiles are along n, so that all of them use A's tile while it is
    /// in cache; otherwise they are along m.
    tiling(const einsum_impl::contraction_problem &problem, const tile_extents &extents,
           bool innermost_n);

    /// The loops over modes of D, fastest first, and the loops over summed modes.
    const tile_loops &places() const noexcept { return places_; }
    const tile_loops &sums() const noexcept { return sums_; }
    index_t place_count() const noexcept { return einsum_impl::extent_of(places_.modes); }
    index_t sum_count() const noexcept { return einsum_impl::extent_of(sums_.modes); }
    bool is_whole() const noexcept { return places_.modes.empty() && sums_.modes.empty(); }

    /// Number of kinds of tiles. Tiles at the end of a mode with a remainder are shorter; a kind is
    /// the sum of the `ragged` bits of the modes at whose end a tile is.
    unsigned kinds() const noexcept { return 1u << ragged_modes_; }
    /// The contraction of one tile: its groups, types and conjugations.
    einsum_impl::contraction_problem tile(const einsum_impl::contraction_problem &problem,
                                          unsigned kind) const;

    /// "a in 3 of 24, b in 32 of 1".
    std::string describe() const;

private:
    void cut(const einsum_impl::contraction_problem &problem, group_of_problem group,
             const extents_t &extents, tile_loops &into);

    tile_loops places_, sums_;
    int ragged_modes_ = 0;
};

} // namespace tenfold::contract_impl
