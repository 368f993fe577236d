#include "dist_plan/buffers.hpp"

#include <algorithm>

#include "dist_plan/slice.hpp"

namespace tenfold::dist_impl {
namespace {

/// Grows the exchange windows to what moving `source` to `target` needs on this rank.
void reserve_exchange(buffer_words &buffers, const plan_state &plan, const slice &source,
                      const slice &target) {
    const index_t stays = intersection_size(source, target);
    const index_t window = exchange_window / size_of(plan.type);
    buffers.exchange = std::max(buffers.exchange, std::min(window, source.size() - stays) +
                                                      std::min(window, target.size() - stays));
}

index_t largest_piece_of_team(const layouts &where, operand_id operand, int rank) {
    index_t largest = 0;
    for (const int member : where.team_of(operand, rank))
        if (member != rank)
            largest = std::max(largest, where.piece_of(operand, member).size());
    return largest;
}

} // namespace

buffer_words buffers_of(const plan_state &plan, const layouts &where,
                        const std::array<bool, 3> &in_place, int rank) {
    buffer_words buffers;
    for (const operand_id operand : {operand_a, operand_b}) {
        if (operand == operand_b && plan.problem->unary)
            continue;
        const operand_labels &labels = plan.problem->operands[operand];
        auto &sizes = operand == operand_a ? buffers.a : buffers.b;
        const slice piece = where.whole_piece_of(operand, rank);
        if (!in_place[operand]) {
            sizes.piece = piece.size();
            reserve_exchange(buffers, plan, region_of(plan.given[operand], labels, rank), piece);
        }
        if (!where.takes_part(rank))
            continue;
        if (where.panel_labels(operand).size() != labels.distinct.size())
            sizes.summed = where.piece_of(operand, rank).size();
        if (where.team_size(operand) > 1) {
            sizes.panel = where.panel_of(operand, rank).size();
            buffers.travel = std::max(buffers.travel, largest_piece_of_team(where, operand, rank));
        }
    }

    const slice piece = where.whole_piece_of(operand_d, rank);
    if (!in_place[operand_d])
        reserve_exchange(buffers, plan, piece,
                         region_of(plan.given[operand_d], plan.problem->operands[operand_d], rank));
    if (!where.takes_part(rank))
        return buffers;
    if (where.grid().k > 1) {
        buffers.panel_d = where.panel_of(operand_d, rank).size();
        buffers.piece_d = piece.size();
        buffers.travel =
            std::max({buffers.travel, piece.size(), largest_piece_of_team(where, operand_d, rank)});
    } else if (!in_place[operand_d]) {
        buffers.panel_d = piece.size(); // panel and piece are one
    }
    return buffers;
}

} // namespace tenfold::dist_impl
