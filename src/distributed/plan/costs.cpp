#include "distributed/plan/costs.hpp"

#include <algorithm>

#include "distributed/plan/fit_layouts.hpp"
#include "distributed/plan/slice.hpp"

namespace tenfold::dist_impl {
namespace {

/// Returns how many of `parts` balanced parts of a mode have positions in [begin, begin + length).
index_t parts_met(index_t extent, int parts, index_t begin, index_t length) noexcept {
    __extension__ using wide = __int128;
    const auto part_of = [&](index_t position) {
        return static_cast<index_t>((wide{position + 1} * parts - 1) / extent);
    };
    return part_of(begin + length - 1) - part_of(begin) + 1;
}

/// Returns from how many ranks `rank` receives an operand, or parts of the result.
index_t senders(const plan_state &plan, const layouts &where, tensor_id operand, int rank) {
    const operand_labels &labels = plan.problem->operands[operand];
    const distribution &given = plan.given[operand];
    const slice there = region_of(given, labels, rank);
    const slice here = where.whole_piece_of(operand, rank);
    const slice &wanted = operand == D ? there : here;
    if (wanted.empty())
        return 0;
    const auto at = [&](int label) {
        return static_cast<std::size_t>(
            std::find(labels.distinct.begin(), labels.distinct.end(), label) -
            labels.distinct.begin());
    };
    index_t cells = 1;
    if (operand == D) {
        const std::vector<int> &panel = where.panel_labels(D);
        for (std::size_t mode = 0; mode < panel.size(); ++mode) {
            const auto label = static_cast<std::size_t>(panel[mode]);
            const std::size_t k = at(panel[mode]);
            cells *= parts_met(plan.problem->labels[label].extent,
                               where.choice().parts[label] * where.choice().further[D][mode],
                               wanted.offsets[k], wanted.extents[k]);
        }
    } else {
        for (std::size_t mode = 0; mode < labels.modes.size(); ++mode) {
            const std::size_t k = at(labels.modes[mode]);
            cells *= parts_met(given.extents()[mode], given.grid()[mode], wanted.offsets[k],
                               wanted.extents[k]);
        }
    }
    return cells - (intersection_size(there, here) > 0 ? 1 : 0);
}

} // namespace

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

double redistribution_seconds(const plan_state &plan, const layouts &where, index_t words) {
    index_t most = 0;
    for_some_ranks(plan.ranks, [&](int rank) {
        index_t messages = 0;
        for (const tensor_id operand : all_but_c)
            if (operand != B || !plan.problem->unary)
                messages += senders(plan, where, operand, rank);
        most = std::max(most, messages);
    });
    return receiving_seconds(plan, static_cast<double>(words), static_cast<double>(most));
}

} // namespace tenfold::dist_impl
