#include "distributed/plan/costs.hpp"

#include <algorithm>

#include "distributed/plan/nodes.hpp"

namespace tenfold::dist_impl {

double receiving_seconds(const plan_state &plan, double words, double messages) noexcept {
    return plan.price.receiving(words * static_cast<double>(plan.words.bytes), messages);
}

double panel_seconds(const plan_state &plan, const processor_grid &grid, double words) noexcept {
    return receiving_seconds(plan, words, grid.m - 1 + grid.n - 1 + grid.k - 1);
}

double panel_seconds(const plan_state &plan, const layouts &where) {
    const auto ranks = static_cast<int>(where.grid().size());
    index_t most = 0;
    const auto look_at = [&](int rank) {
        most = std::max(most, where.words_received(rank, plan.words.product));
    };
    look_at(ranks - 1);
    for_some_ranks(ranks, look_at);
    return panel_seconds(plan, where.choice().teams(), static_cast<double>(most));
}

double between_nodes_seconds(const plan_state &plan, const layout_choice &where) {
    return receiving_seconds(plan, static_cast<double>(share_between_nodes(plan, where)), 0);
}

double redistribution_seconds(const plan_state &plan, const redistributions &counted,
                              const layout_choice &where, index_t words) {
    return receiving_seconds(plan, static_cast<double>(words),
                             static_cast<double>(counted.messages(where)));
}

} // namespace tenfold::dist_impl
