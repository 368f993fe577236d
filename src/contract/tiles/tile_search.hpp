// Which tiles, and which moves inside them, make TTGT and fused packing cheapest.
#pragma once

#include <vector>

#include "contract/tiles/tiled.hpp"

namespace tenfold::contract_impl {

/// Cheapest first.
struct tiled_forms {
    /// Moves at least one tensor; empty if there is nothing to move. One tile, or slices that stay
    /// in the last cache or within the workspace limit: loops over modes, or parts of modes,
    /// outside a smaller TTGT.
    std::vector<tiled_form> ttgt;
    /// Tiles whose moved tensors fit L2; empty if there are none.
    std::vector<tiled_form> fused;
};

/// The cheapest forms, at most `of_each`. All choices of tensors to move, of the order of modes in
/// every super-index (as one of the tensors that carry it has them: any other order would move one
/// tensor more and gain nothing) and of which super-index becomes fastest are priced, for one
/// tiling or two of each choice of tensors to move, or a few dozen under a workspace limit. Where
/// nothing stays within that, the form that needs least: its workspace is the least limit that
/// would do.
///
/// Operands of a type that cannot be multiplied as it is (bf16, f16) are converted on the way.
/// Labels of one input only are summed on the way.
///
/// O(arrangements x modes^3).
tiled_forms best_tiled_forms(const einsum_impl::contraction_problem &problem,
                             const cost_model &model, const plan_environment &environment,
                             std::size_t of_each);

} // namespace tenfold::contract_impl
