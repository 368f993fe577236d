// Fused packing: tile after tile is brought into cache, multiplied there and put in its place, so
// that no tensor passes through memory more often than it has to.
#pragma once

#include <vector>

#include "contract/arrangement.hpp"
#include "contract/candidate.hpp"
#include "contract/cost_model.hpp"
#include "contract/tiles.hpp"

namespace tenfold::contract_impl {

/// How a contraction is cut and what is moved inside a tile.
struct fused_form {
    tile_extents extents;
    arrangement choice;
    bool innermost_n = true;
    bool loop_threads = true; ///< threads take tiles; otherwise they share each tile
    double seconds = 0;       ///< predicted
};

/// What products inside tiles count with (matrix_problem::whole): what is moved is multiplied in
/// cache, the rest comes from, or goes, where the whole tensor lies.
tensor_sizes sizes_behind(const einsum_impl::contraction_problem &whole, const tiling &tiles,
                          const std::array<bool, 3> &move);

/// The `most` cheapest forms whose moved tiles fit L2, cheapest first; empty if there is none.
/// O(arrangements x modes^3).
std::vector<fused_form> best_fused_forms(const einsum_impl::contraction_problem &problem,
                                         const cost_model &model,
                                         const plan_environment &environment, std::size_t most);

candidate_ptr make_fused(const einsum_impl::contraction_problem &problem, const fused_form &form,
                         const cost_model &model, const plan_environment &environment);

} // namespace tenfold::contract_impl
