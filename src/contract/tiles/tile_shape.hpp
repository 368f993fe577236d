// Shapes tiles: cuts modes until the moved elements of a tile fit a given room.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "contract/tiles/tiles.hpp"

namespace tenfold::contract_impl {

/// Which modes are cut first; sums come last except with `summed`.
enum class cut_first : std::uint8_t { far_apart, m, n, summed };

class tile_shaper {
public:
    /// `move` is indexed as in arrangement: A, B, D.
    tile_shaper(const einsum_impl::contraction_problem &problem, const std::array<bool, 3> &move);

    /// A large tile of which at most `most_elements` elements are moved, gaps not counted. Empty if
    /// even the smallest tile has more.
    std::optional<tile_extents> shape(double most_elements, cut_first first) const;

    /// The smallest useful tile.
    tile_extents smallest() const;

private:
    /// A mode that tiles may cut.
    struct cuttable_mode {
        group_of_problem group;
        std::size_t place; ///< in its group
        index_t extent;
        index_t least;          ///< extent of the smallest tiles; for sums, see least_extent()
        index_t grain;          ///< tiles of multiples of it end at line ends of D
        double distance;        ///< modes with a larger one are cut first
        std::array<bool, 3> in; ///< A, B, D; also with stride 0: a copy stores it
    };

    void add(group_of_problem group, const std::array<bool, 3> &in);
    void add_elementwise();
    double moved_elements(const extents_t &tile) const;
    index_t least_extent(const extents_t &tile, std::size_t mode) const;
    std::size_t next_to_cut(const extents_t &tile, cut_first first) const;
    tile_extents extents_of_tile(const extents_t &tile) const;

    const einsum_impl::contraction_problem &problem_;
    std::array<bool, 3> move_;
    std::vector<cuttable_mode> modes_;        ///< of the moved tensors
    std::array<double, 3> isolated_{1, 1, 1}; ///< extents of isolated labels
};

} // namespace tenfold::contract_impl
