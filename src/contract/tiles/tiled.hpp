// Contractions carried out tile by tile: tensors are moved to where they lie like matrices,
// multiplied there, and moved back. TTGT is that with one tile, or with slices where one would take
// too much workspace; fused packing with tiles that stay in cache.
#pragma once

#include "contract/choose/candidate.hpp"
#include "contract/choose/cost_model.hpp"
#include "contract/tiles/arrangement.hpp"
#include "contract/tiles/tiles.hpp"

namespace tenfold::contract_impl {

/// How a contraction is cut and what is moved inside a tile.
struct tiled_form {
    tenfold::algorithm algorithm = algorithm::fused; ///< or ttgt
    tile_extents extents;
    arrangement choice;
    bool innermost_n = true;
    bool loop_threads = true; ///< threads take tiles; otherwise they share each tile
    double seconds = 0;       ///< predicted
};

/// What products inside tiles count with (matrix_problem::whole): what is moved is multiplied where
/// it was moved to, the rest comes from, or goes, where the whole tensor lies.
tensor_sizes sizes_behind(const einsum_impl::contraction_problem &whole, const tiling &tiles,
                          const std::array<bool, 3> &move);

/// Under a limit products get what the moved tiles leave of it; the form may need more than there
/// is. Throws errc::overflow if its workspace cannot be counted.
candidate_ptr make_tiled(const einsum_impl::contraction_problem &problem, const tiled_form &form,
                         const cost_model &model, const plan_environment &environment);

} // namespace tenfold::contract_impl
