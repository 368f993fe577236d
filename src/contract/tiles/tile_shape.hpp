// How far each mode is cut so that what is moved of a tile takes only so much room.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "contract/tiles/tiles.hpp"

namespace tenfold::contract_impl {

/// Which free modes are cut before others; sums come last in any case but `summed`.
enum class cut_first : std::uint8_t { far_apart, m, n, summed };

class tile_shaper {
public:
    /// `move`: A, B, D, as in arrangement.
    tile_shaper(const einsum_impl::contraction_problem &problem, const std::array<bool, 3> &move);

    /// The largest tile found of which at most so many elements are moved, gaps not counted. Empty
    /// if all are larger.
    std::optional<tile_extents> shape(double most_elements, cut_first first) const;

    /// The smallest tile worth having.
    tile_extents smallest() const;

private:
    /// A mode that tiles may cut.
    struct cuttable_mode {
        group_of_problem group;
        std::size_t place; ///< in its group
        index_t extent;
        index_t least;          ///< extent of the smallest tiles; of sums, see least_extent()
        index_t grain;          ///< tiles of multiples of it end where a line of D does
        double distance;        ///< of neighbours, in the moved tensor in which it is largest
        std::array<bool, 3> in; ///< A, B, D; with stride 0, too: moved, it takes room
    };

    void add(group_of_problem group, const std::array<bool, 3> &in);
    double moved_elements(const extents_t &tile) const;
    index_t least_extent(const extents_t &tile, std::size_t mode) const;
    std::size_t next_to_cut(const extents_t &tile, cut_first first) const;
    tile_extents extents_of_tile(const extents_t &tile) const;

    const einsum_impl::contraction_problem &problem_;
    std::array<bool, 3> move_;
    std::vector<cuttable_mode> modes_;        ///< of the moved tensors
    std::array<double, 3> isolated_{1, 1, 1}; ///< what a moved tensor holds for each of its modes
};

} // namespace tenfold::contract_impl
