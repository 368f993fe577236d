#include "distributed/plan/rank_survey.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "distributed/plan/slice.hpp"

namespace tenfold::dist_impl {
namespace {

/// Returns the beginnings of balanced parts, and the end of the last.
std::vector<index_t> begins_of(index_t extent, int parts) {
    std::vector<index_t> begins;
    for (int part = 0; part <= parts; ++part)
        begins.push_back(cut(extent, part, parts));
    return begins;
}

constexpr std::size_t key_bits = 64;
constexpr std::size_t bits_of_mode = 2;

/// Returns the extents of a rank's panels and pieces.
std::vector<index_t> extents_of_rank(const plan_state &plan, const layouts &where, int rank) {
    std::vector<index_t> extents;
    const auto add = [&](const slice &box) {
        extents.insert(extents.end(), box.extents.begin(), box.extents.end());
        extents.push_back(box.none ? 1 : 0);
    };
    for (const tensor_id operand : all_but_c) {
        if (operand == B && plan.problem->unary)
            continue;
        add(where.panel_of(operand, rank));
        add(where.whole_piece_of(operand, rank));
    }
    return extents;
}

} // namespace

rank_survey::rank_survey(const plan_state &plan, const layouts &where)
    : plan_(plan), where_(where) {
    std::size_t modes = 0;
    for (const tensor_id operand : all_but_c) {
        if (operand == B && plan.problem->unary)
            continue;
        const operand_labels &labels = plan.problem->operands[operand];
        modes += labels.modes.size() + 1;
        has_tables_ = has_tables_ && labels.modes == labels.distinct; // no diagonals
    }
    has_tables_ = has_tables_ && bits_of_mode * modes < key_bits;
    for (const tensor_id operand : all_but_c) {
        if (!has_tables_ || (operand == B && plan.problem->unary))
            continue;
        operand_tables &tables = tables_[operand];
        tables.exists = true;
        tables.is_scalar = where.panel_labels(operand).empty();
        for (std::size_t k = 0; k < plan.problem->operands[operand].modes.size(); ++k)
            tables.modes.push_back(tables_of_mode(operand, k));
        tables.cell_of_rank.assign(static_cast<std::size_t>(plan.ranks), -1);
        for (int rank = 0; rank < plan.ranks; ++rank)
            tables.cell_of_rank[static_cast<std::size_t>(rank)] = plan.given[operand].cell_of(rank);
    }
}

rank_survey::mode rank_survey::tables_of_mode(tensor_id operand, std::size_t mode_number) const {
    mode tables;
    const distribution &given = plan_.given[operand];
    const index_t extent = given.extents()[mode_number];
    tables.given_parts = given.grid()[mode_number];
    tables.given = begins_of(extent, tables.given_parts);
    const int number = plan_.problem->operands[operand].modes[mode_number];
    const auto label = static_cast<std::size_t>(number);
    const std::vector<int> &panel = where_.panel_labels(operand);
    const auto found = std::find(panel.begin(), panel.end(), number);
    const bool is_isolated = found == panel.end(); // not cut
    const auto at = static_cast<std::size_t>(found - panel.begin());
    tables.group = is_isolated ? 0 : static_cast<std::size_t>(plan_.problem->labels[label].group);
    for (int i = 0; i < factors_of(where_.grid())[tables.group]; ++i)
        tables.part.push_back(is_isolated ? 0 : where_.part_at(label, i));
    for (int place = 0; place < where_.team_size(operand); ++place)
        tables.piece.push_back(is_isolated ? 0 : where_.piece_at(operand, at, place));
    const int parts = is_isolated ? 1 : where_.choice().parts[label];
    tables.further = is_isolated ? 1 : where_.choice().further[operand][at];
    tables.begins = begins_of(extent, parts * tables.further);
    const std::vector<index_t> panels = begins_of(extent, parts);
    for (int i = 0; i < parts * tables.further; ++i) {
        const auto piece = static_cast<std::size_t>(i);
        const auto whole = static_cast<std::size_t>(i / tables.further);
        const bool is_long =
            tables.begins[piece + 1] - tables.begins[piece] > extent / (parts * tables.further);
        const bool is_long_panel = panels[whole + 1] - panels[whole] > extent / parts;
        tables.key.push_back((is_long ? 1U : 0U) | (is_long_panel ? 2U : 0U));
    }
    return tables;
}

void rank_survey::advance(grid_position &position, int rank) const noexcept {
    if (where_.choice().runs_by_nodes()) {
        position = where_.position_of(rank);
        return;
    }
    const grid_position factors = factors_of(where_.grid());
    for (const int group : where_.choice().order) {
        const auto g = static_cast<std::size_t>(group);
        if (++position[g] < factors[g])
            return;
        position[g] = 0;
    }
}

visited_rank rank_survey::from_tables(int rank, const grid_position &position,
                                      kinds_of_ranks &kinds) const {
    const bool takes_part = where_.takes_part(rank);
    visited_rank visited{rank};
    std::uint64_t key = takes_part ? 1 : 0;
    for (const tensor_id operand : all_but_c) {
        const operand_tables &tables = tables_[operand];
        if (!tables.exists)
            continue;
        const int place = takes_part ? where_.place_at(operand, position) : 0;
        const bool has_piece = takes_part && (!tables.is_scalar || place == 0);
        int cell = tables.cell_of_rank[static_cast<std::size_t>(rank)];
        const bool has_block = cell >= 0;
        index_t given = has_block ? 1 : 0;
        index_t shared = has_block && has_piece ? 1 : 0;
        key = key << bits_of_mode | (has_piece ? 1U : 0U);
        for (const mode &one : tables.modes) {
            index_t begin = 0, end = 0;
            if (has_block) {
                const auto part = static_cast<std::size_t>(cell % one.given_parts);
                cell /= one.given_parts;
                begin = one.given[part];
                end = one.given[part + 1];
                given = base::saturated_multiply(given, end - begin); // may be empty
            }
            if (!takes_part)
                continue;
            const auto piece = static_cast<std::size_t>(
                one.part[static_cast<std::size_t>(position[one.group])] * one.further +
                one.piece[static_cast<std::size_t>(place)]);
            key = key << bits_of_mode | one.key[piece];
            shared = base::saturated_multiply(
                shared, std::max<index_t>(0, std::min(end, one.begins[piece + 1]) -
                                                 std::max(begin, one.begins[piece])));
        }
        visited.blocks[operand] = visited.given[operand] = given;
        visited.shared[operand] = shared;
    }
    if (key != kinds.last_key) {
        kinds.last_key = key;
        kinds.last = kinds.by_key.try_emplace(key, kinds.by_key.size()).first->second;
    }
    visited.kind = kinds.last;
    return visited;
}

visited_rank rank_survey::from_boxes(int rank, kinds_of_ranks &kinds) const {
    visited_rank visited{rank};
    for (const tensor_id operand : all_but_c) {
        if (operand == B && plan_.problem->unary)
            continue;
        const slice block = region_of(plan_.given[operand], plan_.problem->operands[operand], rank);
        visited.blocks[operand] = plan_.given[operand].block_of(rank).size();
        visited.given[operand] = block.size();
        visited.shared[operand] = intersection_size(block, where_.whole_piece_of(operand, rank));
    }
    visited.kind =
        kinds.by_shape.try_emplace(extents_of_rank(plan_, where_, rank), kinds.by_shape.size())
            .first->second;
    return visited;
}

} // namespace tenfold::dist_impl
