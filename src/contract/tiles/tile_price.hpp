// The cost of a contraction that is carried out tile by tile.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "contract/tiles/tiled.hpp"

namespace tenfold::contract_impl {

/// Share of L2 for moved tiles; the rest is for data that is read and written in place.
constexpr double cache_share_of_tiles = 0.55;

/// Prices arrangements that move the same tensors with the same tiles; computes what they have in
/// common once.
class tile_pricer {
public:
    tile_pricer(const einsum_impl::contraction_problem &problem, algorithm which,
                const tile_extents &extents, const std::array<bool, 3> &move,
                const cost_model &model, const plan_environment &environment);

    /// The form with this arrangement, with its tiles in the better order. Empty if it takes `most`
    /// seconds or longer, or exceeds the workspace limit. `scratch` is reused memory.
    std::optional<tiled_form> price(const arrangement &choice, double most,
                                    arranged_problem &scratch);

    /// Bytes of the moved tensors' tiles, for all threads.
    double moved_bytes(const arranged_problem &arranged) const;

private:
    /// How often each tensor is moved, in one order of tiles.
    struct tile_order {
        bool innermost_n;
        std::array<double, 3> times;
    };

    tile_order order(const tiling &tiles, bool innermost_n) const;
    /// `into`: the type that it has after the move.
    double move_seconds(std::size_t tensor, double elements, data_type into,
                        const neighbours &near) const;
    void share_cache();
    /// Bytes of the tensors and copies of a tile.
    double touched_bytes() const;
    /// Bytes of tensors and copies in element-wise products of real numbers that move them whole; 0
    /// in others.
    double bytes_in_use() const;
    /// Seconds, on one team, for lines of D that are written in place, in part, by tiles between
    /// which they leave the caches: they are read and written once more.
    double seconds_of_shared_lines(const einsum_impl::contraction_problem &problem) const;
    double least_of_moves() const;
    double least_of_products() const;

    const cost_model &model_;
    algorithm which_;
    tile_extents extents_;
    std::array<bool, 3> move_;
    plan_environment inside_; ///< environment of one tile
    tiling tiles_;
    einsum_impl::contraction_problem tile_;
    std::optional<arranger> arranger_; ///< empty while least_seconds() suffices
    tensor_sizes whole_;
    bool loop_threads_ = false;
    int team_ = 1;            ///< threads that compute tiles
    double products_;         ///< number of tile products
    double in_use_ = 0;       ///< bytes_in_use()
    double shared_lines_ = 0; ///< seconds_of_shared_lines()
    std::array<cost_model::runs, 3> runs_{};
    std::array<double, 3> cut_from_{}; ///< elements of each tensor; 0: a tile is all of it
    std::vector<tile_order> orders_;   ///< one or two
    double least_products_;            ///< least seconds of all products, on one team
    double least_seconds_;             ///< lower bound for all arrangements
};

} // namespace tenfold::contract_impl
