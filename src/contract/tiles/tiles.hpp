// A contraction cut into tiles: boxes of its index space, each a contraction of its own with the
// strides of the whole.
#pragma once

#include <string>
#include <vector>

#include "einsum/problem/problem.hpp"

namespace tenfold::contract_impl {

using group_of_problem = einsum_impl::mode_group einsum_impl::contraction_problem::*;

/// The largest extent that a tile has along every mode, group by group, as the problem orders
/// them. Isolated modes are never cut.
struct tile_extents {
    extents_t batch, m, n, k;

    /// Nothing is cut.
    static tile_extents whole(const einsum_impl::contraction_problem &problem);

    /// Those of batch, m, n or k.
    extents_t &of(group_of_problem group) noexcept;

    friend bool operator==(const tile_extents &, const tile_extents &) = default;
};

/// Each mode that leaves a remainder doubles the kinds of tiles, and every kind has plans of its
/// own.
constexpr std::size_t most_ragged_modes = 4;

/// The same tiles, or smaller ones where more than most_ragged_modes modes would leave a remainder:
/// those that lose least by it get an extent that divides theirs.
tile_extents with_few_remainders(tile_extents tiles,
                                 const einsum_impl::contraction_problem &problem);

/// How a mode is cut; the last tile is perhaps shorter.
struct cut_mode {
    group_of_problem group;
    std::size_t place; ///< in its group
    index_t tile;      ///< extent of all tiles but the last
    index_t last;      ///< extent of the last one, 1 .. tile
    unsigned ragged;   ///< the bit of a tile's kind that its last tile sets; 0 if that is as long
};

/// Modes that are cut, seen from tile to tile: extents count tiles, strides lead to the next one.
struct tile_loops {
    einsum_impl::mode_group modes;
    std::vector<cut_mode> cuts; ///< of each of them
};

class tiling {
public:
    /// At most most_ragged_modes modes leave a remainder.
    ///
    /// `innermost_n`: tiles along n follow each other first, so that A's tile is used for all of
    /// them while it is in cache; otherwise tiles along m do.
    tiling(const einsum_impl::contraction_problem &problem, const tile_extents &extents,
           bool innermost_n);

    /// Modes that are cut: those of D, fastest first, and those that are summed.
    const tile_loops &places() const noexcept { return places_; }
    const tile_loops &sums() const noexcept { return sums_; }
    index_t place_count() const noexcept { return einsum_impl::extent_of(places_.modes); }
    index_t sum_count() const noexcept { return einsum_impl::extent_of(sums_.modes); }
    bool is_whole() const noexcept { return places_.modes.empty() && sums_.modes.empty(); }

    /// Kinds of tiles: those at the end of a mode that leaves a remainder are shorter. A kind is
    /// the sum of the `ragged` bits of the modes whose end it lies at.
    unsigned kinds() const noexcept { return 1u << ragged_modes_; }
    /// The contraction of one tile of the problem that was cut: its groups, types and
    /// conjugations.
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
