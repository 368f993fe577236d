// Among the layouts of one grid with equally small blocks, chooses one that is close to how the
// operands already lie.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "distributed/plan/plan_state.hpp"

namespace tenfold::dist_impl {

/// Calls use(rank) for all ranks, or for an evenly spread sample if there are many.
template <class Use> void for_some_ranks(int ranks, const Use &use) {
    constexpr int most = 64;
    const int looked_at = std::min(ranks, most);
    for (int i = 0; i < looked_at; ++i)
        use(static_cast<int>(std::int64_t{i} * ranks / looked_at));
}

/// Words that ranks receive while operands move to the layouts and D moves back.
struct redistribution_words {
    index_t most = 0; ///< maximum over the ranks
    index_t sum = 0;
    friend auto operator<=>(const redistribution_words &, const redistribution_words &) = default;
};

/// Counts the words of some ranks, for many layouts of one plan in turn.
class redistributions {
public:
    static constexpr redistribution_words no_limit{INT64_MAX, INT64_MAX};

    explicit redistributions(const plan_state &plan);

    /// Stops counting as soon as the words cannot be less than `enough`.
    redistribution_words of(const layouts &candidate,
                            const redistribution_words &enough = no_limit) const;

private:
    const plan_state &plan_;
    std::vector<std::pair<int, given_regions>> some_;
    mutable std::size_t busiest_ = 0; ///< of the last candidate: mostly it tells first of the next
};

/// The inputs of which every rank takes its whole panel from copies, instead of gathering it.
using copied_inputs = std::array<bool, 3>;
/// All choices for a grid, beginning with none: only inputs that exist in copies may be copied.
std::vector<copied_inputs> ways_to_copy(const plan_state &plan, const processor_grid &grid);

/// The layouts with which fit_layouts() begins, in little time.
layouts layouts_before_fitting(const plan_state &plan, const processor_grid &grid,
                               const copied_inputs &copied);

/// Chooses which labels of a group are cut if several ways are equally good, how panels are cut
/// into pieces, and how ranks are ordered in the grid. Greedy: makes these choices one after the
/// other and keeps each that lessens redistribution. Volume and work of the contraction depend on
/// the grid only. Deterministic; stops as soon as nothing has to move.
layouts fit_layouts(const plan_state &plan, const processor_grid &grid, const copied_inputs &copied,
                    const redistributions &counted);

} // namespace tenfold::dist_impl
