// What a contraction costs that is carried out tile by tile.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "contract/tiles/tiled.hpp"

namespace tenfold::contract_impl {

/// Of L2: what is moved shares it with what is read and written beside.
constexpr double cache_share_of_tiles = 0.55;

/// Prices arrangements that move the same tensors, in the same tiles: what they have in common is
/// found once.
class tile_pricer {
public:
    tile_pricer(const einsum_impl::contraction_problem &problem, algorithm which,
                const tile_extents &extents, const std::array<bool, 3> &move,
                const cost_model &model, const plan_environment &environment);

    /// The form with this arrangement, its tiles in the better order. Empty if it takes `most`
    /// seconds or longer, or does not stay within the workspace limit. `scratch` is memory to work
    /// in.
    std::optional<tiled_form> price(const arrangement &choice, double most,
                                    arranged_problem &scratch);

    /// Bytes that the moved tensors' tiles take, of all threads.
    double moved_bytes(const arranged_problem &arranged) const;

private:
    /// How often each tensor is moved, in one order of tiles.
    struct tile_order {
        bool innermost_n;
        std::array<double, 3> times;
    };

    tile_order order(const tiling &tiles, bool innermost_n) const;
    double move_seconds(std::size_t tensor, double elements, const neighbours &near) const;
    void share_cache();
    double least_of_moves() const;
    double least_of_products() const;

    const cost_model &model_;
    algorithm which_;
    tile_extents extents_;
    std::array<bool, 3> move_;
    plan_environment inside_; ///< of one tile
    tiling tiles_;
    einsum_impl::contraction_problem tile_;
    std::optional<arranger> arranger_; ///< where least_seconds() did not settle it
    tensor_sizes whole_;
    bool loop_threads_ = false;
    int team_ = 1;    ///< threads that take tiles
    double products_; ///< tiles that are multiplied
    std::array<index_t, 3> run_{};
    std::vector<tile_order> orders_; ///< one or two
    double least_products_;          ///< seconds of all of them, on one team
    double least_seconds_;           ///< no arrangement takes less
};

} // namespace tenfold::contract_impl
