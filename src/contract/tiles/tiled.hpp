// Contractions tile by tile: tensors are moved into matrix-like layouts, multiplied, and moved
// back. TTGT uses one tile, or slices that stay in the last cache or within a workspace limit.
// Fused packing uses tiles that stay in L2, as GETT does (Springer, Bientinesi 2018).
#pragma once

#include "contract/choose/candidate.hpp"
#include "contract/choose/cost_model.hpp"
#include "contract/tiles/arrangement.hpp"
#include "contract/tiles/tiles.hpp"

namespace tenfold::contract_impl {

/// The tiles of a contraction, and the tensors that are moved inside a tile.
struct tiled_form {
    tenfold::algorithm algorithm = algorithm::fused; ///< or ttgt
    tile_extents extents;
    arrangement choice;
    bool innermost_n = true;
    bool loop_threads = true; ///< threads compute different tiles; otherwise they share each tile
    double seconds = 0;       ///< predicted
};

/// Tensor sizes for products inside tiles (matrix_problem::whole): for moved tensors the size of
/// the tile's copy, for others that of the whole tensor.
tensor_sizes sizes_behind(const einsum_impl::contraction_problem &whole, const tiling &tiles,
                          const std::array<bool, 3> &move);

/// Makes the candidate. Under a limit, products get the workspace that the moved tiles leave; the
/// form may still exceed the limit. Throws errc::overflow if its workspace does not fit 64 bits.
candidate_ptr make_tiled(const einsum_impl::contraction_problem &problem, const tiled_form &form,
                         const cost_model &model, const plan_environment &environment);

} // namespace tenfold::contract_impl
