// Finds the tiles, and the moves inside them, with which TTGT and fused packing are cheapest.
#pragma once

#include <vector>

#include "contract/tiles/tiled.hpp"

namespace tenfold::contract_impl {

/// Forms of each algorithm, cheapest first.
struct tiled_forms {
    /// Forms that move at least one tensor; empty if there is nothing to move. They have one tile,
    /// or slices that stay in the last cache or within the workspace limit, that is, loops over
    /// modes or parts of modes around a smaller TTGT.
    std::vector<tiled_form> ttgt;
    /// Forms whose moved tiles fit L2; empty if there are none.
    std::vector<tiled_form> fused;
};

struct wanted_forms {
    std::size_t of_each; ///< so many of each algorithm, at most
    /// Forms that take so long are not wanted. Has no effect under a workspace limit.
    double most_seconds;
    /// One form is wanted, of whichever algorithm is cheaper. Has no effect under a limit, either.
    bool only_cheapest = false;
};

/// The cheapest forms. Prices all choices of the tensors to
/// move, of the order of modes in every super-index, and of the fastest super-index, for one or two
/// tilings of each choice of moved tensors, or a few dozen under a workspace limit. A super-index
/// takes the order of one of the tensors that have it: any other order would move one more tensor
/// and gain nothing. Where nothing is summed, copies may mix the modes of all super-indices
/// (as_elementwise()). If nothing stays within the limit, returns the form with the least
/// workspace, which is the smallest sufficient limit.
///
/// Operands of types that cannot be multiplied directly (bf16, f16) are converted while they are
/// moved. Labels of one input only are summed while they are moved.
///
/// O(arrangements x modes^3).
tiled_forms best_tiled_forms(const einsum_impl::contraction_problem &problem,
                             const cost_model &model, const plan_environment &environment,
                             const wanted_forms &wanted);

} // namespace tenfold::contract_impl
