#include "distributed/plan/rank_steps.hpp"

#include <algorithm>

#include "distributed/plan/slice.hpp"

namespace tenfold::dist_impl {
namespace {

/// Products are cut into pieces so that messages progress between them. Along m or n a piece has at
/// least this many positions, and there are few pieces, because each packs the other operand again.
/// Along k each piece reads and writes D again, which takes a tenth longer at 256 (docs/adr/0017),
/// so only products that are short in m and n are cut along k.
constexpr index_t least_free = 1024;
constexpr index_t most_free_pieces = 2;
constexpr index_t least_k_of_piece = 512;
constexpr index_t most_k_pieces = 4;

} // namespace

bool advance(step_index &step, const step_index &counts) {
    for (const std::size_t group : {3U, 1U, 2U, 0U}) {
        if (++step[group] < counts[group])
            return true;
        step[group] = 0;
    }
    return false;
}

bool lies_in_piece(const layouts &where, tensor_id operand, const slice &piece, const slice &part) {
    return where.team_size(operand) == 1 || // the piece is the panel
           (where.steps_cut_pieces(operand) && intersect(piece, part) == part);
}

product_boxes rank_steps::boxes_of(const step_index &step) const {
    const auto box = [&](tensor_id operand) { return plan_.where.panel_of(operand, rank_, step); };
    return {box(A), box(B), box(D)};
}

slice rank_steps::panel_in_memory(tensor_id operand, const step_index &step) const {
    if (operand == B && plan_.problem->unary)
        return {};
    const slice piece = plan_.where.piece_of(operand, rank_);
    slice part = plan_.where.panel_of(operand, rank_, step);
    return lies_in_piece(plan_.where, operand, piece, part) ? piece : std::move(part);
}

slice rank_steps::product_in_memory(const step_index &step) const {
    return sums() ? plan_.where.panel_of(D, rank_, step) : plan_.where.panel_of(D, rank_);
}

std::pair<int, index_t> rank_steps::pieces_of(const product_boxes &boxes) const {
    struct group {
        index_t size = 1;
        index_t extent = 1; ///< of the longest label; among equal ones the slowest
        int label = -1;
    };
    const auto look_at = [&](tensor_id operand, const slice &box, label_class which) {
        group found;
        for (std::size_t mode = 0; mode < box.extents.size(); ++mode) {
            const int label = plan_.where.panel_labels(operand)[mode];
            if (group_of(label) != which)
                continue;
            found.size *= box.extents[mode];
            if (box.extents[mode] >= found.extent) {
                found.extent = box.extents[mode];
                found.label = label;
            }
        }
        return found;
    };
    const auto cut = [](const group &one, index_t least, index_t most) {
        return std::pair(one.label, std::min({one.size / least, one.extent, most}));
    };
    const group m = look_at(D, boxes.d, label_class::m);
    const group n = look_at(D, boxes.d, label_class::n);
    const auto free = cut(m.size > n.size ? m : n, least_free, most_free_pieces);
    return free.second > 1
               ? free
               : cut(look_at(A, boxes.a, label_class::k), least_k_of_piece, most_k_pieces);
}

std::pair<int, index_t> rank_steps::cut_of(const product_boxes &whole, const step_index &step,
                                           bool messages) const {
    if (sums() && is_last_along_k(step)) {
        const layout_choice &choice = plan_.where.choice();
        if (whole.d.extents.empty())
            return {-1, 1};
        return {plan_.where.panel_labels(D)[choice.sum_mode], choice.sum_parts};
    }
    const auto [label, pieces] = messages ? pieces_of(whole) : std::pair(-1, index_t{1});
    return pieces > 1 ? std::pair(label, pieces) : std::pair(-1, index_t{1});
}

} // namespace tenfold::dist_impl
