// Among the layouts of one grid that have equally small blocks, one that is near to how the
// operands lie already.
#pragma once

#include "distributed/plan/plan_state.hpp"

namespace tenfold::dist_impl {

/// Words that ranks receive while operands go to the layouts and D comes back.
struct redistribution_words {
    index_t most = 0; ///< of any rank
    index_t sum = 0;
    friend auto operator<=>(const redistribution_words &, const redistribution_words &) = default;
};
/// Of all ranks, or of some spread evenly where there are many.
redistribution_words redistribution(const plan_state &plan, const layouts &candidate);

/// Which labels of a group are cut where several ways are equally good, how panels are cut into
/// pieces, and in which order coordinates run with the rank: one after the other, each choice that
/// lessens redistribution is kept. Volume and work of the contraction are those of the grid in any
/// case. Deterministic; stops as soon as nothing has to move.
layouts fit_layouts(const plan_state &plan, const processor_grid &grid);

} // namespace tenfold::dist_impl
