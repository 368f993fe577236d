#include "distributed/plan/buffers.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "base/checked.hpp"
#include "distributed/plan/slice.hpp"

namespace tenfold::dist_impl {
namespace {

/// Returns the number of positions of a box, saturated: if another box is empty, the number may
/// exceed 64 bits, and no rank holds such a box.
index_t positions(const extents_t &extents) {
    index_t product = 1;
    for (const index_t extent : extents)
        product = base::saturated_multiply(product, extent);
    return product;
}

/// Returns how many positions of a panel's part are at most in a rank's piece.
index_t positions_in(const slice &piece, extents_t part) {
    if (piece.none)
        return 0;
    for (std::size_t mode = 0; mode < part.size(); ++mode)
        part[mode] = std::min(part[mode], piece.extents[mode]);
    return positions(part);
}

/// The elements that a rank has and wants before a redistribution.
struct exchanged_elements {
    index_t source, target, stays;
};

/// Of a rank that has, wants and keeps so many elements of an operand's block and piece.
exchanged_elements exchanged(tensor_id operand, index_t block, index_t piece,
                             index_t shared) noexcept {
    if (operand == D)
        return {piece, block, shared};
    return {block, piece, shared};
}

/// Returns the words of the exchange windows if up to `receivers` ranks want each element.
index_t exchange_words(const plan_state &plan, tensor_id operand, const exchanged_elements &its,
                       index_t receivers) {
    const index_t element = plan.words.moved[operand];
    const index_t window = exchange_window / (element * plan.words.bytes);
    const index_t sent = base::saturated_multiply(its.source, receivers) - its.stays;
    return (std::min(window, sent) + std::min(window, its.target - its.stays)) * element;
}

/// Returns the words of the windows that moving the operand to or from its piece needs.
index_t exchange_of(const plan_state &plan, const layouts &where, tensor_id operand, int rank) {
    const slice block = region_of(plan.given[operand], plan.problem->operands[operand], rank);
    const slice piece = where.whole_piece_of(operand, rank);
    const exchanged_elements its =
        exchanged(operand, block.size(), piece.size(), intersection_size(block, piece));
    return exchange_words(plan, operand, its, receivers_of(plan, where, operand));
}

/// Multiplies a size that is not negative.
void scale_size(index_t &size, index_t words) { size = base::saturated_multiply(size, words); }

/// What gathering one step's part of a panel takes; bounds for all steps of the rank.
void reserve_gathering(buffer_words::operand &sizes, const plan_state &plan, const layouts &where,
                       tensor_id operand, int rank) {
    const slice piece = where.piece_of(operand, rank);
    const extents_t part = where.largest_step(operand, rank);
    sizes.panel = positions(part);
    const index_t own = positions_in(piece, part);
    const bool in_place = where.arrives_in_place(operand);
    const bool all_or_none = where.steps_cut_pieces(operand); // a part lies in this rank's piece
                                                              // entirely or not at all
    sizes.landing = all_or_none || in_place ? sizes.panel : sizes.panel - own;
    sizes.sent = where.sends_in_place(operand) || (in_place && !all_or_none) ? 0 : own;
    for (index_t *const size : {&sizes.panel, &sizes.landing, &sizes.sent})
        scale_size(*size, plan.words.product[operand]);
}

/// Sets the sizes that the sum over pk needs.
void reserve_sum(buffer_words &buffers, const plan_state &plan, const layouts &where, int rank) {
    const slice piece = where.piece_of(D, rank);
    extents_t part = where.largest_step(D, rank);
    buffers.panel_d = positions(part);
    buffers.piece_d = sums_in_panel(plan, where) ? 0 : piece.size();
    if (!part.empty()) {
        index_t &cut = part[where.choice().sum_mode];
        cut = base::divide_up(cut, where.choice().sum_parts);
    }
    buffers.sum_out = positions(part);
    buffers.sum_in = positions_in(piece, part) * (where.grid().k - 1);
    for (index_t *const size :
         {&buffers.panel_d, &buffers.piece_d, &buffers.sum_out, &buffers.sum_in})
        scale_size(*size, plan.words.of_sum());
}

/// As buffers_of(), without windows.
buffer_words held_buffers(const plan_state &plan, const layouts &where,
                          const std::array<bool, 3> &in_place, int rank) {
    buffer_words buffers;
    for (const tensor_id operand : {A, B}) {
        if (operand == B && plan.problem->unary)
            continue;
        const operand_labels &labels = plan.problem->operands[operand];
        auto &sizes = operand == A ? buffers.a : buffers.b;
        if (!in_place[operand])
            sizes.piece = where.whole_piece_of(operand, rank).size() * plan.words.moved[operand];
        if (!where.takes_part(rank))
            continue;
        if (where.panel_labels(operand).size() != labels.distinct.size())
            sizes.summed = where.piece_of(operand, rank).size() * plan.words.of_sum();
        if (where.team_size(operand) > 1)
            reserve_gathering(sizes, plan, where, operand, rank);
    }
    if (!where.takes_part(rank))
        return buffers;
    buffers.partial =
        base::saturated_multiply(partial_sums(plan, where), partial_sum_elements(where, rank));
    scale_size(buffers.partial, plan.words.of_sum());
    if (where.grid().k > 1)
        reserve_sum(buffers, plan, where, rank);
    else if (!in_place[D]) // panel and piece are one
        buffers.panel_d = where.whole_piece_of(D, rank).size() * plan.words.of_sum();
    return buffers;
}

} // namespace

bool sums_in_panel(const plan_state &plan, const layouts &where) noexcept {
    if (plan.reproducible()) // their partial sums lie elsewhere
        return false;
    const auto &[batch, m, n, k] = where.step_counts();
    return where.grid().k > 1 && batch == 1 && m == 1 && n == 1;
}

index_t receivers_of(const plan_state &plan, const layouts &where, tensor_id operand) noexcept {
    if (operand == D)
        return plan.given[D].copies();
    return where.choice().copied[operand] ? where.choice().sharers(operand) : 1;
}

int partial_sums(const plan_state &plan, const layouts &where) {
    const auto steps = static_cast<std::uint64_t>(where.step_counts()[3]);
    return plan.reproducible() ? static_cast<int>(std::bit_width(steps)) - 1 : 0;
}

index_t partial_sum_elements(const layouts &where, int rank) {
    return positions(where.largest_step(D, rank));
}

buffer_words buffers_of(const plan_state &plan, const layouts &where,
                        const std::array<bool, 3> &in_place, int rank) {
    buffer_words buffers = held_buffers(plan, where, in_place, rank);
    for (const tensor_id operand : all_but_c) {
        if (in_place[operand] || (operand == B && plan.problem->unary))
            continue;
        index_t &words = operand == D ? buffers.exchange_out : buffers.exchange_in;
        words = std::max(words, exchange_of(plan, where, operand, rank));
    }
    return buffers;
}

memory_of::memory_of(const plan_state &plan, const layouts &where)
    : memory_of(plan, where, std::array<bool, 3>{}) {
    for (const tensor_id operand : all_but_c) // comparing grids first is faster
        in_place_[operand] = plan.given[operand].grid() == where.piece_grid(operand) &&
                             plan.in_place(operand, where.pieces(operand, plan.ranks));
}

memory_of::memory_of(const plan_state &plan, const layouts &where,
                     const std::array<bool, 3> &in_place)
    : plan_(plan), in_place_(in_place) {
    for (const tensor_id operand : all_but_c)
        receivers_[operand] = receivers_of(plan, where, operand);
}

index_t memory_of::of_rank(const layouts &where, int rank) const {
    const bool multiplies = plan_.multiplies(); // otherwise D is scaled in place
    index_t words = multiplies ? buffers_of(plan_, where, in_place_, rank).total().peak() : 0;
    for (std::size_t operand = 0; operand < 3; ++operand)
        if (!plan_.problem->unary || operand != B)
            words = base::saturated_add(words,
                                        words_of_block(static_cast<tensor_id>(operand),
                                                       plan_.given[operand].block_of(rank).size()));
    // The bytes of each tensor fit 64 bits; those of all tensors together may not.
    return base::saturated_multiply(words, plan_.words.bytes);
}

index_t memory_of::words_of_block(tensor_id operand, index_t elements) const noexcept {
    const index_t held = base::saturated_multiply(elements, plan_.words.held[operand]);
    return operand == D && plan_.multiplies()
               ? base::saturated_add(held, plan_.words_to_round(elements))
               : held;
}

auto memory_of::words_of_kind(const layouts &where, int rank) const -> kind_words {
    if (!plan_.multiplies()) // D is scaled in place
        return {};
    const buffer_words buffers = held_buffers(plan_, where, in_place_, rank);
    kind_words words{{buffers.pieces(), buffers.products(), buffers.result()}};
    for (const tensor_id operand : all_but_c)
        if (operand != B || !plan_.problem->unary)
            words.pieces[operand] = where.whole_piece_of(operand, rank).size();
    return words;
}

rank_memory memory_of::of_visited(const kind_words &kind, const visited_rank &rank) const noexcept {
    index_t exchange_in = 0, exchange_out = 0;
    index_t blocks = 0;
    for (const tensor_id operand : all_but_c) {
        if (operand == B && plan_.problem->unary)
            continue;
        blocks = base::saturated_add(blocks, words_of_block(operand, rank.blocks[operand]));
        if (!plan_.multiplies() || in_place_[operand])
            continue;
        const exchanged_elements its =
            exchanged(operand, rank.given[operand], kind.pieces[operand], rank.shared[operand]);
        index_t &windows = operand == D ? exchange_out : exchange_in;
        windows = std::max(windows, exchange_words(plan_, operand, its, receivers_[operand]));
    }
    const rank_memory words = buffer_words::total_of(kind.held, exchange_in, exchange_out);
    const auto bytes_with_blocks = [&](index_t one) {
        return base::saturated_multiply(base::saturated_add(one, blocks), plan_.words.bytes);
    };
    return {bytes_with_blocks(words.multiplying), bytes_with_blocks(words.moving)};
}

index_t memory_of::least(const plan_state &plan, const layouts &where, const may_be_kept &kept) {
    const memory_of memory(plan, where, kept.all);
    index_t peak = 0;
    for (const int rank : {static_cast<int>(where.grid().size()) - 1, 0, plan.ranks - 1}) {
        const kind_words kind = memory.words_of_kind(where, rank);
        visited_rank visited{rank};
        for (const tensor_id operand : all_but_c) {
            if (operand == B && plan.problem->unary)
                continue;
            const index_t block = plan.given[operand].block_of(rank).size();
            const index_t given =
                region_of(plan.given[operand], plan.problem->operands[operand], rank).size();
            const index_t most = std::min(given, kind.pieces[operand]);
            visited.blocks[operand] = block;
            visited.given[operand] = given;
            visited.shared[operand] = kept.words[operand] < static_cast<double>(most)
                                          ? static_cast<index_t>(kept.words[operand])
                                          : most;
        }
        peak = std::max(peak, memory.of_visited(kind, visited).peak());
    }
    return peak;
}

index_t memory_of::of_all(const layouts &where) const {
    index_t peak = 0;
    for_each(where, [&](const visited_rank &, const rank_memory &bytes) {
        peak = std::max(peak, bytes.peak());
    });
    return peak;
}

index_t memory_of::of_some(const layouts &where) const {
    const auto last = static_cast<int>(where.grid().size()) - 1;
    return std::max({of_rank(where, last), of_rank(where, 0), of_rank(where, plan_.ranks - 1)});
}

} // namespace tenfold::dist_impl
